// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The state that the requests of one turn share on their way to the backend.
@GLibActor
package final class BackendLine {
  /// More connections than all turns and queries of a service take, so that a program at its own limit does not stop
  /// the others.
  static let http = HTTPSession(userAgent: "chappie/\(ChappieVersion.current)", maxConnections: 480)
  /// Counts each request of a turn, and each query. It throws when the callers of the group have to wait. Requests for
  /// this process itself are not counted.
  package static var admission: @GLibActor (_ callers: String) throws(ChappieClientError) -> Void = {
    (_) throws(ChappieClientError) in
  }

  /// Counts one more request for the callers that the running task works for.
  ///
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``.
  static func admitRequest() throws(ChappieClientError) {
    if let callers = CallerGroup.current { try admission(callers) }
  }

  /// The longest silence within an answer.
  static let idleDeadline = Duration.seconds(300)

  /// The backend's routing token. Each further request of the turn sends it back.
  var turnState: String?
  /// The socket for the turn's next request.
  var socket: IdleSockets.Socket?

  init(_ socket: IdleSockets.Socket? = nil) {
    self.socket = socket
  }

  /// Closes the socket, which belongs to a credential that is not valid any more.
  func giveUpSocket() {
    socket?.close()
    socket = nil
  }
}
