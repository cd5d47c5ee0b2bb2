/// An answer that is more than a client should take: alike pieces, made one by one while they are sent.
struct Flood: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// Deltas of the answer's text.
    case text
    /// Calls of the tool `flood`, which nobody need have declared.
    case calls
    /// Sealed thoughts of the model.
    case thoughts
    /// Events of a type that no client knows.
    case unknown
    /// Parts of one event that never ends; over a WebSocket one message.
    case event
  }

  /// The largest message that is made for a WebSocket, which cannot be sent in parts.
  static let messageLimit = 64 << 20

  let kind: Kind
  /// The bytes of each piece's content.
  let size: Int
  /// How many pieces there are; nil for no end.
  let count: Int?

  /// What is sent, in order: nil after the end.
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
      return .event(
        Self.item(
          #""type":"function_call","call_id":"call_\#(index)","name":"flood","arguments":"{\"text\":\"\#(content)\"}""#)
      )
    case .thoughts: return .event(Self.item(#""type":"reasoning","summary":[],"encrypted_content":"\#(content)""#))
    case .unknown: return .event(#"{"type":"response.unknown","content":"\#(content)"}"#)
    case .event: return .part(Array(((index == 0 ? "data: " : "") + content).utf8))
    }
  }

  private static func item(_ members: String) -> String {
    #"{"type":"response.output_item.done","output_index":0,"item":{\#(members)}}"#
  }

  /// The one message that stands for an event without an end, where no message can be without one.
  var message: [UInt8] {
    let length = min(Self.messageLimit, count.map { $0 * size } ?? .max)
    let content = [UInt8](repeating: UInt8(ascii: "x"), count: length)
    return Array(#"{"type":"response.output_text.delta","delta":""#.utf8) + content + Array(#""}"#.utf8)
  }

  enum Piece {
    case event(String)
    case part([UInt8])

    /// As it is sent in a stream of events.
    var frame: [UInt8] {
      switch self {
      case .event(let json): Array("data: \(json)\n\n".utf8)
      case .part(let bytes): bytes
      }
    }
  }
}

extension Flood {
  /// Sends all pieces, as fast as `write` takes them.
  func play(_ write: (Piece) async throws -> Void) async throws {
    var index = 0
    while let piece = piece(index) {
      try await write(piece)
      index += 1
      // Other clients want to be served as well.
      if index % 16 == 0 { await Task.yield() }
    }
  }
}

extension StandInRule.Reader {
  mutating func flood(_ key: String) throws(Problem) -> Flood? {
    guard let value = take(key) else { return nil }
    var members = try StandInRule.Reader(value)
    guard let kind = try members.string("of").flatMap(Flood.Kind.init) else {
      let names = Flood.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(text: "'of' of a flood must be one of \(names)")
    }
    let size = try members.integer("size", in: 1...(4 << 20)) ?? 16 << 10
    let count = try members.integer("count", in: 1...1_000_000_000)
    try members.expectEnd()
    return Flood(kind: kind, size: size, count: count)
  }
}
