// SPDX-License-Identifier: Apache-2.0

/// The client's end of a WebSocket to the stand-in.
@GLibActor
final class WireSocket {
  private let socket: WebSocket
  /// The server runs as long as the socket is used.
  private let backend: StandInBackend

  init(_ socket: WebSocket, _ backend: StandInBackend) {
    self.socket = socket
    self.backend = backend
  }

  /// Requests an answer and returns its frames, including the last.
  func create(_ body: ChappieJSONValue, _ more: [String: ChappieJSONValue] = [:]) async throws -> [ChappieJSONValue] {
    send(Body.frame(body, more))
    return try await frames()
  }

  func send(_ text: [UInt8]) {
    socket.send(text)
  }

  /// The frames up to the end of an answer.
  func frames(while isOpen: @escaping (ChappieJSONValue) -> Bool = { !$0.endsAnswer }) async throws
    -> [ChappieJSONValue]
  {
    var frames: [ChappieJSONValue] = []
    try await socket.forEachMessage(idleDeadline: Wire.patience) { message in
      guard let frame = try? ChappieJSONValue(parsing: message) else { return .proceed }
      frames.append(frame)
      return isOpen(frame) ? .proceed : .stop
    }
    return frames
  }
}

extension ChappieJSONValue {
  var type: String { self["type"]?.stringValue ?? "" }

  var endsAnswer: Bool {
    ["response.completed", "response.failed", "error"].contains(type)
  }

  /// The value at a path of keys; nil if a member is missing.
  subscript(keys: String...) -> ChappieJSONValue? {
    keys.reduce(self) { value, key in value?[key] }
  }
}

extension [ChappieJSONValue] {
  var types: [String] { map(\.type) }

  /// The joined text of the deltas.
  var deltas: String {
    filter { $0.type == "response.output_text.delta" }.compactMap { $0["delta"]?.stringValue }.joined()
  }

  /// The completed items of the answer.
  var items: [ChappieJSONValue] {
    filter { $0.type == "response.output_item.done" }.compactMap { $0["item"] }
  }

  /// The text of the answer's messages.
  var text: String {
    items.filter { $0.type == "message" }.flatMap { $0["content"]?.arrayValue ?? [] }
      .compactMap { $0["text"]?.stringValue }.joined(separator: "\n")
  }

  var responseID: String? { last?["response", "id"]?.stringValue }
}
