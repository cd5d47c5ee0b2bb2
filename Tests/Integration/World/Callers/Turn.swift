// SPDX-License-Identifier: Apache-2.0

/// A turn that was started with `Stream` or `StreamResponse`, as its caller sees it.
@GLibActor
struct Turn {
  let id: String
  let path: ObjectPath
  let caller: Caller

  struct Delta {
    let offset: Int
    let text: String
  }

  /// The end of a turn.
  enum End {
    case completed(text: String, details: VariantDictionary)
    case failed(error: String, message: String, details: VariantDictionary)
  }

  var deltas: [Delta] {
    get throws {
      try signals("TextDelta").map { signal in
        Delta(
          offset: Int(try signal.arguments.member(1, "offset", as: UInt64.self)),
          text: try signal.arguments.member(2, "text"))
      }
    }
  }

  /// Waits for the turn's end, and for all later signals up to a reply of the service.
  func end() async throws -> End {
    let signal = try await caller.signal("Completed", "Failed", at: path) { try $0.turn == id }
    try await caller.catchUp()
    return try End(signal)
  }

  /// The number of the turn's end signals, which should be one.
  var endCount: Int { signals("Completed").count + signals("Failed").count }

  func cancel() async throws {
    try await caller.call("Client.Cancel", id, at: path)
  }

  /// The reply of `GetTurn` to this caller or another.
  func snapshot(by other: Caller? = nil) async throws -> (status: String, text: String, details: VariantDictionary) {
    let reply = try await (other ?? caller).call("Client.GetTurn", id, at: path)
    return (
      try reply.member(0, "status"), try reply.member(1, "text"), try reply.member(2, "details")
    )
  }

  /// The turn's signals of one name so far.
  func signals(_ member: String) -> [BusSignal] {
    caller.signals(member, at: path).filter { (try? $0.turn) == id }
  }
}

extension Turn.End {
  init(_ signal: BusSignal) throws {
    let arguments = signal.arguments
    self =
      signal.member == "Completed"
      ? .completed(text: try arguments.member(1, "text"), details: try arguments.member(2, "details"))
      : .failed(
        error: try arguments.member(1, "error"), message: try arguments.member(2, "message"),
        details: try arguments.member(3, "details"))
  }

  /// The answer of a successful turn.
  var answer: (text: String, details: VariantDictionary) {
    get throws {
      guard case .completed(let text, let details) = self else { throw UnmetCondition("an answer: \(self)") }
      return (text, details)
    }
  }

  /// The failure of a failed turn; its name has no prefix `org.chappie.Error.`.
  var failure: (name: String, message: String, details: VariantDictionary) {
    get throws {
      guard case .failed(let error, let message, let details) = self else { throw UnmetCondition("a failure: \(self)") }
      let prefix = "org.chappie.Error."
      guard error.hasPrefix(prefix) else { throw UnmetCondition("an error of the service: \(error)") }
      return (String(error.dropFirst(prefix.count)), message, details)
    }
  }
}

extension BusSignal {
  /// The turn of a signal of `org.chappie.Client`.
  var turn: String {
    get throws { try arguments.member(0, "turn") }
  }
}

extension Caller {
  /// Starts a turn.
  func stream(_ text: String, _ options: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> Turn {
    let id = try await call("Client.Stream", text, options, at: path).member(0, "turn", as: String.self)
    return Turn(id: id, path: path, caller: self)
  }

  /// Starts a turn with the caller's own transcript.
  func streamResponse(
    _ messages: [Message], _ options: VariantDictionary = [:], at path: ObjectPath = .chappie
  ) async throws -> Turn {
    let id = try await call("Client.StreamResponse", messages, options, at: path).member(0, "turn", as: String.self)
    return Turn(id: id, path: path, caller: self)
  }

  /// Starts a turn and waits for a part of its answer; no more text comes until the turn ends.
  ///
  /// The stand-in must be stalled: ``Sandbox/stall(times:)``.
  func stalledTurn(_ options: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> Turn {
    let turn = try await stream("Go on", options, at: path)
    try await eventually("a part of the answer") { try await turn.snapshot().text == Sandbox.stalledText }
    return turn
  }
}

/// A message of a transcript: its role and its text.
struct Message: VariantConvertible {
  static var variantType: String { "(ss)" }

  let role: String
  let text: String

  var variant: Variant { .tuple(role, text) }

  init(_ role: String, _ text: String) {
    self.role = role
    self.text = text
  }

  init(variant: Variant) throws(VariantError) {
    role = try variant.member(0, "role")
    text = try variant.member(1, "text")
  }
}

extension Sandbox {
  static let stalledText = "Well"

  /// Makes the next answers stop after their first word until their clients leave.
  func stall(times: String = "\"always\"") async throws {
    try await play(
      #"[{"endpoint":"responses","text":"\#(Self.stalledText) then.","delta_delay_ms":3600000,"times":\#(times)}]"#)
  }
}
