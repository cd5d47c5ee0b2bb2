// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// An answer that is larger than a client should accept. Its pieces are alike; each is made right before it is sent.
struct Flood: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// Deltas of the answer's text.
    case text
    /// Calls of the tool `flood`, declared or not.
    case calls
    /// Encrypted reasoning items.
    case thoughts
    /// Events of an unknown type.
    case unknown
    /// Parts of one event that never ends; over a WebSocket, one message.
    case event
    /// Events of an item with as many numbers of twenty digits as fit into `size`.
    case numbers
    /// Pings of a WebSocket, or comments in an event stream. In this case and the next three, each piece has as many of
    /// them as fit into `size`.
    case pings
    /// Messages, or events, without content.
    case empty
    /// Messages, or events, of two bytes.
    case small
    /// Parts of one byte in a message that never ends, or lines of one event.
    case parts
  }

  /// The largest message for a WebSocket, in bytes; libsoup cannot send a message in parts.
  static let messageLimit = 64 << 20

  let kind: Kind
  /// The size of the content of each piece, in bytes.
  let size: Int
  /// The number of pieces; nil for no end.
  let count: Int?

  /// The piece with this index; nil after the end.
  func piece(_ index: Int) -> Piece? {
    guard let count else { return piece(of: index) }
    if index < count { return piece(of: index) }
    guard index == count, kind != .event else { return nil }
    return .event(#"{"type":"response.completed","response":{"id":"resp_flood"}}"#)
  }

  private func piece(of index: Int) -> Piece {
    let content = String(repeating: "x", count: size)
    switch kind {
    case .text: return .event(#"{"type":"response.output_text.delta","delta":"\#(content)"}"#)
    case .calls:
      let arguments = #"{\"text\":\"\#(content)\"}"#
      return item(#""type":"function_call","call_id":"call_\#(index)","name":"flood","arguments":"\#(arguments)""#)
    case .thoughts: return item(#""type":"reasoning","summary":[],"encrypted_content":"\#(content)""#)
    case .unknown: return .event(#"{"type":"response.unknown","content":"\#(content)"}"#)
    case .event: return .part(Array(((index == 0 ? "data: " : "") + content).utf8))
    case .numbers:
      let numbers = Array(repeating: "12345678901234567890", count: max(1, size / 21)).joined(separator: ",")
      return item(#""type":"reasoning","summary":[],"encrypted_content":"","numbers":[\#(numbers)]"#)
    case .pings: return block([0x89, 0], ":\n")
    case .empty: return block([0x81, 0], "data:\n\n")
    case .small: return block([0x81, 2] + "{}".utf8, "data: {}\n\n")
    case .parts: return block([0, 1, 0x78], "data: x\n", first: index == 0 ? [1, 1, 0x78] : [])
    }
  }

  private func block(_ frame: [UInt8], _ line: String, first: [UInt8] = []) -> Piece {
    .block(
      frames: first + [[UInt8]](repeating: frame, count: max(1, size / frame.count)).joined(),
      lines: Array(String(repeating: line, count: max(1, size / line.utf8.count)).utf8))
  }

  private func item(_ members: String) -> Piece {
    .event(#"{"type":"response.output_item.done","output_index":0,"item":{\#(members)}}"#)
  }

  /// The longest message that stands for an endless event over a WebSocket, where each message must end.
  var message: [UInt8] {
    let content = String(repeating: "x", count: min(Self.messageLimit, count.map { $0 * size } ?? .max))
    return Array(#"{"type":"response.output_text.delta","delta":"\#(content)"}"#.utf8)
  }

  enum Piece {
    case event(String)
    case part([UInt8])
    /// Many small messages, as frames of a WebSocket, and as lines of an event stream.
    case block(frames: [UInt8], lines: [UInt8])

    /// The bytes in an event stream.
    var frame: [UInt8] {
      switch self {
      case .event(let json): Array("data: \(json)\n\n".utf8)
      case .part(let bytes): bytes
      case .block(_, let lines): lines
      }
    }
  }
}

extension Flood {
  /// Sends all pieces as fast as `write` accepts them.
  func play(_ write: (Piece) async throws -> Void) async throws {
    var index = 0
    var block: Piece?
    while let piece = block ?? piece(index) {
      try await write(piece)
      index += 1
      // All blocks after the first are equal. For speed, only one is made.
      if case .block = piece, index > 1 { block = count.map { index < $0 } ?? true ? piece : nil }
      // Without a yield, the flood would block all other clients.
      if block != nil || index % 16 == 0 { await Task.yield() }
    }
  }
}

extension Flood {
  static let form = JSONForm.members(
    ["of": .choice(of: Kind.self), "size": .integer(1...(4 << 20)), "count": .integer(1...1_000_000_000)],
    required: "of")

  /// Reads a flood that has the form.
  init(_ flood: ChappieJSONValue) {
    kind = flood["of"]?.stringValue.flatMap(Kind.init) ?? .text
    size = flood["size"]?.wholeNumber ?? 16 << 10
    count = flood["count"]?.wholeNumber
  }
}
