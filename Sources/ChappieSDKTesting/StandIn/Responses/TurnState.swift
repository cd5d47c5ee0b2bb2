/// The token that routes the requests of one turn to one server.
enum TurnState {
  static func make() -> String { "ts_" + RandomText.hex(bytes: 16) }
}
