/// The token that routes the requests of one turn to one place, as in section 3.1 of the protocol.
enum TurnState {
  static func make() -> String { "ts_" + RandomText.hex(bytes: 16) }
}
