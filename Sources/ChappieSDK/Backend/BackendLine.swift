import GLibBridge

/// What the requests of one turn share on their way to the backend.
@GLibActor
final class BackendLine {
  /// As many connections as all turns and queries that a service runs, and more: a program that holds all of its own
  /// must not stop the others.
  static let http = HTTPSession(userAgent: "chappie/\(ChappieVersion.current)", maxConnections: 320)
  /// The longest silence within an answer.
  static let idleDeadline = Duration.seconds(300)

  /// The backend's routing token; it goes back with each further request of the turn.
  var turnState: String?
  /// The socket that the turn's last answer came over.
  var socket: SocketConnection?

  init(_ socket: SocketConnection? = nil) {
    self.socket = socket
  }
}
