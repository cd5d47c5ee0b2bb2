// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Valid and invalid input of callers.
@Suite(.worlds) @GLibActor
struct InputTests {
  @Test func invalidInputIsRefused() async throws {
    try await World.signedIn { world, caller in
      try await expectRefusal("InvalidArgument") { try await caller.send("") }
      try await expectRefusal("InvalidArgument") { try await caller.stream("") }
      for messages in [[Message](), [Message("user", "")], [Message("system", "x"), Message("user", "")]] {
        let respond = try await refusal { try await caller.call("Client.Respond", messages, VariantDictionary()) }
        #expect(respond.name == "InvalidArgument")
        #expect(respond.message.contains("text"))
      }
      let options: VariantDictionary = ["model": ["neither", "nor"]]
      let wrongRole = [Message("user", "hi"), Message("usér", "hello")]
      let calls: [(message: String, () async throws -> Void)] = [
        ("'model'", { _ = try await caller.send("hi", options) }),
        ("'model'", { _ = try await caller.stream("hi", options) }),
        ("'model'", { _ = try await caller.call("Client.Respond", [Message("user", "hi")], options) }),
        ("'model'", { _ = try await caller.streamResponse([Message("user", "hi")], options) }),
        ("'usér'", { _ = try await caller.call("Client.Respond", wrongRole, VariantDictionary()) }),
        ("'usér'", { _ = try await caller.streamResponse(wrongRole) }),
      ]
      for (message, call) in calls {
        let refused = try await refusal(of: call)
        #expect(refused.name == "InvalidArgument")
        #expect(refused.message.contains(message))
      }
      #expect(try await world.sandbox.state().requests["responses"] == 0)
    }
  }

  @Test func anInvalidConfigurationIsRefused() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let wrong: [(VariantDictionary, String)] = [
        (["keychain_account": ""], "'keychain_account'"),
        (["harness": ["preset": "pirate"] as VariantDictionary], "pirate"),
      ]
      for kind in ["Session", "Client"] {
        for (configuration, message) in wrong {
          let refused = try await refusal { try await caller.open(kind, configuration) }
          #expect(refused.name == "InvalidArgument")
          #expect(refused.message.contains(message), "\(kind): \(refused.message)")
        }
      }
      // D-Bus refuses calls of missing objects and members.
      let nowhere = ObjectPath.chappie.appending("nowhere")
      let calls: [() async throws -> Void] = [
        { try await caller.call("Client.Shout", "hi") }, { try await caller.call("Nothing.Send", "hi") },
        { _ = try await caller.state(at: nowhere) }, { try await caller.call("Client.Send", "hi") },
        { try await caller.call("Client.Send", UInt32(1), VariantDictionary()) },
        { _ = try await caller.property("Session.Token", as: String.self) },
        {
          try await caller.connection.call(
            "org.chappie", .chappie, "org.freedesktop.DBus.Properties", "Set",
            .tuple(["org.chappie.Client".variant, "Model".variant, "x".variant.boxed]))
        },
      ]
      for call in calls { #expect(try await refusal(of: call).name.hasPrefix("org.freedesktop.DBus.Error.")) }
      #expect(try await caller.state() == "signed-out")
      // Unknown keys are ignored.
      let more: VariantDictionary = ["new_in_version_9": UInt32(1), "": "empty", "Model": ["x"]]
      try await caller.call("Session.StartDeviceCodeSignIn", more)
      try await caller.waitFor("signed-in")
      #expect(try await caller.send("hi", more, at: caller.open("Client", more)).contains("hi"))
    }
  }

  /// D-Bus can carry neither U+0000 nor half a surrogate pair, so the service replaces them in the model's text. The
  /// test uses HTTP, where a rule can give the bytes of several events.
  @Test func unusualTextArrivesUnchanged() async throws {
    try await World.signedIn(.http) { world, caller in
      let controls = "\u{1}\u{1B}[31m\u{7F}"
      let invisible = "\u{202E}\u{FEFF}\u{200D}"
      for text in [controls, invisible, "\u{FFFE}\u{10FFFF}", "e\u{301}é", "\"\\\n\r\t/"] {
        let answer = try await caller.send(text)
        #expect(answer.contains(text))
        #expect(try await world.sandbox.state().lastInput == ["user: \(text)"])
      }
      let events = ##"""
        data: {"type":"response.output_text.delta","delta":"a\u0000b\ud800c\ud83d\ude00"}

        data: {"type":"response.completed","response":{"id":"r"}}


        """##
      let rule = json(["endpoint": "responses", "raw": events])
      try await world.sandbox.play("[\(rule),\(rule)]")
      #expect(try await caller.send("hi") == "a\u{FFFD}b\u{FFFD}c😀")
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().answer.text == "a\u{FFFD}b\u{FFFD}c😀")
      #expect(try turn.deltas.map(\.text).joined() == "a\u{FFFD}b\u{FFFD}c😀")
    }
  }
}
