// SPDX-License-Identifier: Apache-2.0

/// A tool as a caller describes it.
enum Tools {
  static let weather: VariantDictionary = [
    "name": "weather", "description": "Tells the weather.",
    "input_schema": #"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#,
  ]

  /// A tool without arguments.
  static func named(_ name: String, policy: String? = nil, timeLimit: UInt32? = nil) -> VariantDictionary {
    var tool: VariantDictionary = ["name": name, "description": "Does \(name)."]
    tool.set("policy", policy)
    tool.set("time_limit", timeLimit)
    return tool
  }
}

/// The values of `ToolCallRequested`.
struct RequestedCall {
  let id: String
  let tool: String
  let arguments: String
  let policy: String
}

/// The values of `ToolCallCompleted`.
struct EndedCall {
  let id: String
  let status: String
  let output: String
  let milliseconds: UInt32
}

extension Turn {
  /// The calls of tools so far.
  var requestedCalls: [RequestedCall] {
    get throws {
      try signals("ToolCallRequested").map { signal in
        let arguments = signal.arguments
        return RequestedCall(
          id: try arguments.member(1, "call"), tool: try arguments.member(2, "name"),
          arguments: try arguments.member(3, "arguments"), policy: try arguments.member(4, "policy"))
      }
    }
  }

  /// The calls of tools that have ended.
  var endedCalls: [EndedCall] {
    get throws {
      try signals("ToolCallCompleted").map { signal in
        let result: VariantDictionary = try signal.arguments.member(2, "result")
        return EndedCall(
          id: try signal.arguments.member(1, "call"), status: result.text("status") ?? "",
          output: result.text("output") ?? "", milliseconds: try #require(try result.value("duration_ms")))
      }
    }
  }

  /// Waits for the first, the second … call.
  func requestedCall(_ number: Int = 1) async throws -> RequestedCall {
    try await eventually("tool call \(number)") { try requestedCalls.count >= number }
    return try requestedCalls[number - 1]
  }

  /// Waits until a call asks for approval.
  func approvalRequest(_ number: Int = 1) async throws -> String {
    try await eventually("question \(number)") { signals("ApprovalRequested").count >= number }
    return try signals("ApprovalRequested")[number - 1].arguments.member(1, "call")
  }

  /// Waits until `GetTurn` returns `status`.
  func wait(for status: String) async throws {
    try await eventually("the status \(status)") { try await snapshot().status == status }
  }
}

extension Caller {
  func register(_ tools: [VariantDictionary], _ handler: ObjectPath = .root, at path: ObjectPath = .chappie)
    async throws
  {
    try await call("Client.RegisterTools", tools, handler, at: path)
  }

  /// Answers a call of a tool without a handler object.
  func submit(_ output: String, for call: String, of turn: Turn, _ options: VariantDictionary = [:]) async throws {
    try await self.call("Client.SubmitToolResult", turn.id, call, output, options, at: turn.path)
  }

  func resolve(_ call: String, of turn: Turn, _ approved: Bool, reason: String = "") async throws {
    try await self.call("Client.ResolveApproval", turn.id, call, approved, reason, at: turn.path)
  }
}

extension Sandbox {
  /// Makes the model call these tools in its next answers.
  func callTools(_ calls: String, saying text: String? = nil, times: String = "1") async throws {
    let textMember = text.map { #""text":"\#($0)","# } ?? ""
    try await play(#"[{"endpoint":"responses",\#(textMember)"tool_calls":\#(calls),"times":\#(times)}]"#)
  }
}

/// An object of a caller that runs its tools.
@GLibActor
final class ToolHandler {
  /// A call of `org.chappie.ToolHandler`.
  struct Call {
    let turn: String
    let id: String
    let tool: String
    let arguments: String
  }

  static let path = ObjectPath.root.appending("tools")
  private static let interface = "org.chappie.ToolHandler"

  private(set) var calls: [Call] = []
  private var object: BusObject?

  /// - Parameters:
  ///   - type: the D-Bus type of its answers, which should be `s`.
  ///   - answer: the answer to a call; an error that it throws becomes the error reply.
  init(
    _ caller: Caller, type: String = "s", answer: @escaping @GLibActor (Call) async throws -> any VariantConvertible
  ) throws {
    let xml = try SourceTree.text(of: "dbus/org.chappie.ToolHandler.xml")
      .replacing(#"type="s" name="output""#, with: #"type="\#(type)" name="output""#)
    let implementation = try BusImplementation(
      BusInterfaceDescription(xml: xml, name: Self.interface),
      methods: [
        "Call": { [weak self] in
          let call = Call(
            turn: try $0.argument(0), id: try $0.argument(1), tool: try $0.argument(2), arguments: try $0.argument(3))
          self?.calls.append(call)
          return .tuple([try await answer(call).variant])
        }
      ], properties: [:])
    object = try BusObject(caller.connection, Self.path, [implementation], rights: .init { _ in }) { error in
      error as? BusError ?? BusError(name: "org.example.Error.Failed", message: "\(error)")
    }
  }

  /// Waits until so many calls have come.
  func waitForCalls(_ count: Int) async throws {
    try await eventually("\(count) calls of tools") { calls.count >= count }
  }
}

/// Waits until it is cancelled.
@GLibActor
func forever() async -> String {
  await Wait().value()
  return ""
}
