import GLibBridge

/// What applications may have at a time. More is answered with `LimitExceeded`.
enum Limits {
  /// Sessions and clients that callers opened.
  static let openObjects = ApplicationBudget.Bounds(each: 64, kind: 448, all: 512, reserve: 64, share: 4)
  /// Each has a connection of its own to the backend: they stay below ``BackendConnections``.
  static let runningTurns = ApplicationBudget.Bounds(each: 64, kind: 128, all: 160, reserve: 32, share: 4)
  /// Bytes of all texts of one call.
  static let promptBytes = 4 << 20
  /// Bytes of a harness, which goes with every request.
  static let harnessBytes = 1 << 20
  /// Images of one message.
  static let images = 16
  /// Tools that a caller registers on a client, or sends along with a turn.
  static let tools = 128
  /// Bytes of a thread that is given as a whole.
  static let threadBytes = 64 << 20
  /// Bytes of a thread's title.
  static let titleBytes = 1024
  /// Turns that have ended and can still be asked for, per client object.
  static let keptTurns = 32

  /// - Throws: `BusError` with `LimitExceeded`.
  static func check(promptBytes count: Int) throws {
    guard count <= promptBytes else {
      throw BusError(.limitExceeded, "The text has \(count) bytes, and \(promptBytes) are allowed: send less.")
    }
  }
}
