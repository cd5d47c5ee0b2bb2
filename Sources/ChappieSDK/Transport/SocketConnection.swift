import GLibBridge

/// An open WebSocket to the backend, and what the backend still knows of what came over it.
@GLibActor
final class SocketConnection {
  /// The backend closes a socket after an hour.
  private static let lifetime = Duration.seconds(55 * 60)

  let socket: WebSocket
  private let threadID: String
  private let owner: CredentialMark
  private let openedAt = ContinuousClock.now
  private var last: Exchange?

  /// What the backend can go on from.
  private struct Exchange {
    let frame: [String: JSON]
    /// The input and what the model made of it.
    let items: [ConversationItem]
    let responseID: String
  }

  init(_ socket: WebSocket, threadID: String, owner: CredentialMark) {
    self.socket = socket
    self.threadID = threadID
    self.owner = owner
  }

  /// Whether a request of `threadID` can go over it on behalf of `owner`.
  func serves(_ threadID: String, _ owner: CredentialMark) -> Bool {
    socket.isOpen && self.threadID == threadID && self.owner == owner && .now - openedAt < Self.lifetime
  }

  /// The message that asks for an answer: with only what is new, where the backend still has the rest.
  func message(for request: ResponsesRequest, turnState: String?) -> [UInt8] {
    var message = request.frame
    message["type"] = "response.create"
    if let last, last.frame == request.frame, request.input.starts(with: last.items) {
      message["previous_response_id"] = .string(last.responseID)
      message["input"] = .array(request.input.dropFirst(last.items.count).map(\.json))
    } else {
      message["input"] = .array(request.input.map(\.json))
    }
    if let turnState { message["client_metadata"] = ["x-codex-turn-state": .string(turnState)] }
    return JSON.object(message).encoded
  }

  /// Notes what the backend now knows.
  func note(_ request: ResponsesRequest, _ answer: Answer) {
    last = Exchange(
      frame: request.frame, items: request.input + answer.items.map { .produced($0) }, responseID: answer.responseID)
  }
}
