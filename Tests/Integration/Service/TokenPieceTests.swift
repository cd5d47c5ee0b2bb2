// SPDX-License-Identifier: Apache-2.0
import HTTPTestServer

/// Servers that send a token in pieces, and names that are pieces of one. None of them is shown or logged.
@Suite(.worlds) @GLibActor
struct TokenPieceTests {
  /// No piece looks like a token.
  private let access = "correct-horse-battery-staple.every-word-of-this.stands-in-a-book-of-words"
  private let refresh = "another-row-of-plain-words.nobody-would-take-it.for-what-renews-a-sign-in"

  private func pieces(_ token: String, of length: Int) -> [String] {
    stride(from: 0, to: token.count, by: length).map { String(token.dropFirst($0).prefix(length)) }
  }

  /// - Parameter backend: an address in place of the stand-in's.
  private func with(
    backend: String? = nil, _ body: @GLibActor (World, Caller) async throws -> Void
  ) async throws {
    // A handshake succeeds only with tokens that the stand-in issued.
    let plan = World.Plan(transport: .http, environment: ["G_MESSAGES_DEBUG": "all"])
    let world = try await World.begin(plan)
    if let backend {
      await world.service.end()
      try await world.service.start(["--issuer", world.sandbox.issuer, "--backend", backend])
    }
    let capture = try await BusCapture(world.directories)
    let caller = try await world.caller()
    try await world.sandbox.play(
      #"""
      [{"endpoint":"token",
        "body":{"access_token":"\#(access)","id_token":"a.b.c","refresh_token":"\#(refresh)"}}]
      """#)
    try await caller.signIn()
    try await body(world, caller)
    try await capture.end()
    #expect(try parts(of: access, in: world) == [])
    #expect(try parts(of: refresh, in: world) == [])
    // A search that finds nothing proves something only if it finds a planted piece.
    _ = try await world.run("echo", String(access.prefix(20)))
    #expect(try parts(of: access, in: world).count == 13)
  }

  /// The parts of `token`, of eight characters each, that are in a file of the world: in a log, or on the bus.
  private func parts(of token: String, in world: World) throws -> [String] {
    let files = try world.directories.files().values
    return (0...token.count - 8).map { String(token.dropFirst($0).prefix(8)) }
      .filter { part in files.contains { $0.contains(part) } }
  }

  @Test func piecesInBackendErrorsAreRemoved() async throws {
    try await with { world, caller in
      try await world.each([3, 7, 8, 12, 20, 31]) { length in
        let text = pieces(access, of: length).joined(separator: " ")
        let bodies = [
          #"{"detail":"\#(text)"}"#, #"{"error":{"message":"You sent: \#(text)","code":"x"}}"#, #""\#(text)""#,
          #"{"error":{"type":"usage_limit_reached","resets_at":1893456000,"plan_type":"\#(text)"}}"#,
        ]
        for (index, body) in bodies.enumerated() {
          try await world.sandbox.play(
            #"""
            [{"endpoint":"responses","status":\#([400, 404, 400, 429][index]),"body":\#(body)},
             {"endpoint":"models","status":404,"times":"always"}]
            """#)
          let refused = try await refusal { try await caller.send("hi") }
          #expect(["HTTPError", "UsageLimitReached"].contains(refused.name))
          #expect(!refused.message.contains("correct") || length < 8, "\(refused.message)")
        }
      }
      let text = pieces(refresh, of: 7).joined(separator: " ")
      try await world.sandbox.play(
        #"""
        [{"endpoint":"responses","status":401},
         {"endpoint":"refresh","status":400,"body":{"error":"invalid_grant","error_description":"got \#(text)"}}]
        """#)
      try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
      #expect(try await caller.lastError().text("message")?.contains("[…]") == true)
    }
  }

  /// A backend that answers every request with `events`.
  @GLibActor
  private final class ScriptedBackend {
    var events: [String] = []
  }

  private func completed(_ id: String) -> String {
    #"{"type":"response.completed","response":{"id":"\#(id)"}}"#
  }

  @Test func piecesInResponseIDsAndToolCallsAreRemoved() async throws {
    let backend = ScriptedBackend()
    let server = try HTTPServer { _ in
      let text = backend.events.map { "data: \($0)\n\n" }.joined()
      return .whole(HTTPServerResponse(status: 200, type: "text/event-stream", text))
    }
    try await with(backend: "http://127.0.0.1:\(server.port)/backend-api") { world, caller in
      let shown = ["resp_0123456789abcdef", "resp-1"]
      let hidden = [access, String(access.prefix(12)), "resp_" + access.suffix(20), #"a\u001b[2J"#, "a b"]
      try await world.each(shown + hidden) { id in
        backend.events = [#"{"type":"response.output_text.delta","delta":"Well"}"#, completed(id)]
        let turn = try await caller.stream("hi", ["broadcast": true])
        let (text, details) = try await turn.end().answer
        #expect(text == "Well")
        #expect(details.text("response_id") == (shown.contains(id) ? id : ""))
      }

      let piece = String(access.dropFirst(5).prefix(16))
      for (name, id, error) in [
        (piece, "call_1", "MissingToolHandler"), (access, "call_1", "MissingToolHandler"),
        ("ask", piece, "HTTPError"), ("ask", access, "HTTPError"), ("ask", #"a\u001b]52;c"#, "HTTPError"),
        (String(repeating: "a", count: 4000), "call_1", "MissingToolHandler"),
      ] {
        let call = #"{"type":"function_call","call_id":"\#(id)","name":"\#(name)","arguments":"{}"}"#
        backend.events = [#"{"type":"response.output_item.done","item":\#(call)}"#, completed("resp-1")]
        let options: VariantDictionary = ["tools": [["name": "ask"] as VariantDictionary]]
        let refused = try await refusal { try await caller.send("hi", options) }
        #expect(refused.name == error)
        #expect(refused.message.utf8.count < 300)
      }
      #expect(caller.signals("ToolCallRequested").isEmpty)
    }
    await server.stop()
  }
}
