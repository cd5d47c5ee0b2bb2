import ChappieSDK
import GLibBridge

/// The question of a turn: the next message of the conversation, or the caller's own transcript.
enum Prompt: Sendable {
  case text(String)
  case transcript([ChappieInputMessage])

  /// The bytes of all texts.
  var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .transcript(let messages): messages.reduce(0) { $0 + $1.text.utf8.count }
    }
  }

  /// - Parameter options: the options of the turn, whose instructions count as text.
  /// - Throws: `BusError` with `InvalidArgument` for no text, or `LimitExceeded` for too much.
  func check(_ options: TurnOptions) throws {
    try Self.check(byteCount, options)
  }

  /// Checks a prompt of `bytes`, as ``check(_:)``.
  static func check(_ bytes: Int, _ options: TurnOptions) throws {
    guard bytes > 0 else { throw BusError(.invalidArgument, "There is no text to answer: give some.") }
    try Limits.check(promptBytes: bytes + (options.message.instructions?.utf8.count ?? 0))
  }
}
