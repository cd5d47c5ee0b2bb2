// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// An open WebSocket to the backend, with the last exchange that the backend still remembers.
@GLibActor
final class SocketConnection {
  /// The backend closes a socket after an hour.
  private static let lifetime = Duration.seconds(55 * 60)

  let socket: WebSocket
  private let owner: CredentialMark
  private let openedAt = ContinuousClock.now
  private var last: Exchange?
  /// Whether the socket has carried an answer.
  var isUsed: Bool { last != nil }

  /// An exchange that the backend can continue.
  private struct Exchange {
    let head: [ChappieJSONValue]
    let frame: [String: ChappieJSONValue]
    let threadID: String
    /// The input, followed by the model's output.
    let items: [ConversationItem]
    let responseID: String
  }

  init(_ socket: WebSocket, owner: CredentialMark) {
    self.socket = socket
    self.owner = owner
  }

  /// The conversation of the last exchange; nil if there was none.
  var lastThread: String? { last?.threadID }

  /// Whether the socket can carry a request on behalf of `owner` now. An unread message that the backend sent between
  /// answers makes it unusable.
  ///
  /// The conversation may be another than that of the handshake: each message has a key of its own for the backend's
  /// cache.
  func serves(_ owner: CredentialMark) -> Bool { isFresh && self.owner == owner }

  /// Whether the socket can carry a request of its owner now.
  var isFresh: Bool { socket.isOpen && !socket.hasUnread && .now - openedAt < Self.lifetime }

  /// The message that asks for an answer. It holds only the new items if the backend still has the others.
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

  /// Drops the last exchange: the next message holds the whole conversation.
  func forget() {
    last = nil
  }

  /// Keeps the exchange that the backend now remembers, and watches the socket until the next request.
  func note(_ request: ResponsesRequest, _ answer: BackendAnswer) {
    last = Exchange(
      head: request.head, frame: request.frame, threadID: request.threadID,
      items: request.input + answer.items.map { .produced($0) },
      responseID: answer.responseID)
    rest()
  }

  // MARK: Between two answers

  /// The most messages that may come between two answers.
  private static let newsLimit = 16
  /// Types of messages that may come between two answers: they belong to no answer.
  private static let news: [StaticString] = [
    "codex.rate_limits", "codex.response.metadata", "responsesapi.websocket_timing",
  ]

  /// Reads until the next request, such as the tickets of a new TLS session. It closes the socket when any other message
  /// comes: text or an end that nobody asked for would pass for part of the next answer.
  func rest() {
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
    return news.contains { message.equals(type, $0) }
  }
}
