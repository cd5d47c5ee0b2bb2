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
  /// Whether an answer has come over it.
  var isUsed: Bool { last != nil }

  /// What the backend can go on from.
  private struct Exchange {
    let head: [ChappieJSONValue]
    let frame: [String: ChappieJSONValue]
    /// The input and what the model made of it.
    let items: [ConversationItem]
    let responseID: String
  }

  init(_ socket: WebSocket, threadID: String, owner: CredentialMark) {
    self.socket = socket
    self.threadID = threadID
    self.owner = owner
  }

  /// Whether a request of `threadID` can go over it now on behalf of `owner`. What the backend has sent unasked and
  /// nobody has read makes it useless.
  func serves(_ threadID: String, _ owner: CredentialMark) -> Bool {
    socket.isOpen && !socket.hasUnread && self.threadID == threadID && self.owner == owner
      && .now - openedAt < Self.lifetime
  }

  /// The message that asks for an answer: with only what is new, where the backend still has the rest.
  func message(for request: ResponsesRequest, turnState: String?) -> ChappieJSONValue {
    var message = request.frame
    message["type"] = "response.create"
    if let last, last.frame == request.frame, last.head == request.head, request.input.starts(with: last.items) {
      message["previous_response_id"] = .string(last.responseID)
      message["input"] = .array(request.input.dropFirst(last.items.count).map(\.json))
    } else {
      message["input"] = .array(request.head + request.input.map(\.json))
    }
    var metadata = request.formMetadata
    if let turnState { metadata["x-codex-turn-state"] = .string(turnState) }
    if !metadata.isEmpty { message["client_metadata"] = .object(metadata) }
    return .object(message)
  }

  /// Lets go of what was said: the next message says all of it.
  func forget() {
    last = nil
  }

  /// Notes what the backend now knows, and lets the socket rest until the next request.
  func note(_ request: ResponsesRequest, _ answer: BackendAnswer) {
    last = Exchange(
      head: request.head, frame: request.frame, items: request.input + answer.items.map { .produced($0) },
      responseID: answer.responseID)
    rest()
  }

  // MARK: Between two answers

  /// How many messages of no answer may come between two answers.
  private static let newsLimit = 16
  /// What the backend may tell when it was not asked: it is of no answer.
  private static let news: [StaticString] = [
    "codex.rate_limits", "codex.response.metadata", "responsesapi.websocket_timing",
  ]

  /// Gives the socket up with whatever else comes over it: words and ends that nobody asked for would pass for those
  /// of the next answer.
  private func rest() {
    var count = 0
    socket.rest { message in
      count += 1
      if count <= Self.newsLimit, Self.isNews(message) { return true }
      Log.notice("A WebSocket of the backend is given up: something came over it between two answers.")
      return false
    }
  }

  private static func isNews(_ message: borrowing Span<UInt8>) -> Bool {
    guard let type = JSONScanner.value(of: "type", in: message).flatMap({ JSONScanner.stringContent(message, $0) })
    else { return false }
    for name in news where JSONScanner.equals(message, type, name) { return true }
    return false
  }
}
