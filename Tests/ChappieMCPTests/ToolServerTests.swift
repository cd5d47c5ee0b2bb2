// SPDX-License-Identifier: Apache-2.0
@testable import ChappieMCP

/// What servers do that keep to the protocol.
@GLibActor
struct ToolServerTests {
  private nonisolated static let revisions = ["legacy", "modern"]

  @Test(arguments: ["legacy", "modern", "slow", "silent", "code:-32602", "code:-32022", "code:0"])
  func aServerIsAskedForItsRevision(_ answer: String) async throws {
    try await Server.with(answer) { server async throws in
      let listing = try await server.listing()
      #expect(listing.revision == (["modern", "slow"].contains(answer) ? "2026-07-28" : "2025-11-25"))
      #expect(listing.serverName == "play")
      #expect(listing.tools.map(\.name) == ["echo"])
      // For the model they have names of their own.
      #expect(try await server.tools().map(\.name) == ["play__echo"])
      #expect(listing.tools.first?.annotations.isReadOnly == true)
      #expect(try await server.text("echo", ["text": "hé"]) == "hé")
    }
  }

  @Test func eachToolHasANameOfItsOwn() {
    let long = String(repeating: "a", count: 100)
    let names = ToolNames([("a", "b__c"), ("a__b", "c"), ("a", long), ("a", long), ("a", "d.e")]).all
    #expect(Set(names).count == names.count && names.allSatisfy { $0.utf8.count <= 64 }, "\(names)")
    #expect(names.first == "a__b__c" && names.last == "a__d_e")
  }

  @Test func aServerWithTheHandshakeAloneIsRememberedAsSuch() async throws {
    let server = try await ChappieMCPServer.start(Server.configuration(["legacy"]), isLegacy: true)
    #expect(try await !server.text("messages").contains("server/discover"))
    await server.end()
  }

  @Test func anUnknownRevisionIsRefused() async {
    #expect(
      await failure { () async throws in _ = try await Server.start("code:1999") }
        == "The tool server cannot be used: it speaks the revision '1999-01-01' of the protocol.")
  }

  @Test func aListHasPagesAndSchemas() async throws {
    try await Server.with("modern", "pages") { server async throws in
      #expect(try await server.listing().tools.map(\.name) == ["tool0", "tool1", "tool2"])
    }
    try await Server.with("modern", "keywords") { server async throws in
      let schema = try #require(try await server.listing().tools.first?.inputSchema)
      #expect(
        schema == [
          "type": "object",
          "properties": ["const": ["enum": [1]], "description": ["description": "ab"], "$schema": ["type": "string"]],
        ])
    }
  }

  @Test(arguments: revisions) func aToolThatHasChangedIsNotCalled(_ revision: String) async throws {
    try await Server.with(revision) { server async throws in
      var changes = 0
      server.onChange = { changes += 1 }
      let before = try await server.listing()
      let approved = before.tools.first?.pinned
      #expect(try await server.call("echo", ["text": "a"], expected: approved).text == "a")
      _ = try await server.text("tell")
      try await eventually { changes == 1 }
      let sentence = await failure { () async throws in _ = try await server.call("echo", [:], expected: approved) }
      #expect(sentence.contains("the tool 'echo' has changed since it was approved"))
      #expect(try await server.listing() != before)
    }
  }

  @Test(arguments: revisions) func aListThatChangesWhileItIsReadIsReadAgain(_ revision: String) async throws {
    try await Server.with(revision, "restless") { server async throws in
      let first = try await server.listing()
      #expect(try await server.listing() != first)
    }
  }

  @Test(arguments: revisions) func eachKindOfContent(_ revision: String) async throws {
    try await Server.with(revision) { server async throws in
      let output = try await server.call("kinds", [:])
      #expect(output.images.count == 1)
      #expect(!output.isFailure)
      #expect(
        output.text.split(separator: "\n") == [
          "words", "[left out: an image that cannot be used]", "[left out: a recording of 3 bytes]",
          "[a link]: file:///a", "file:///b:", "a page", "[left out: file:///c, 3 bytes]",
          "[left out: a part of an unknown kind]",
        ])
      #expect(try await server.text("structured") == #"{"a":[1,null]}"#)
      let failed = try await server.call("fails", [:])
      #expect(failed.isFailure && failed.text == "no such file")
      // A result is bounded.
      let text = try await server.text("megabyte")
      #expect(text.utf8.count < 132 << 10 && text.hasSuffix("\n[cut here: the text had 1000000 bytes]"))
      let six = try await server.call("six", [:])
      #expect(six.images.count == 4 && six.text.split(separator: "\n").count == 2)
    }
  }

  @Test(arguments: revisions) func progressExtendsTheDeadline(_ revision: String) async throws {
    // Five steps of three seconds each.
    try await Server.with(revision, callTimeout: .seconds(12)) { server async throws in
      var steps: [Double?] = []
      let output = try await server.call("works", [:]) { message, part in
        #expect(message.hasPrefix("step "))
        steps.append(part)
      }
      #expect(output.text == "done")
      // Of steps that arrive together, one is passed on.
      #expect(steps.first == 0.2 && Set(steps).isSubset(of: [0.2, 0.4, 0.6, 0.8, 1]), "\(steps)")
    }
  }

  @Test(arguments: revisions) func aServerIsToldOfACancel(_ revision: String) async throws {
    try await Server.with(revision) { server async throws in
      let call = Task.onGLib { try await server.text("silence") }
      _ = try await server.text("echo")
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(try await server.text("messages").contains(#""notifications/cancelled""#))
    }
  }

  @Test func requestsOfAServerAreAnswered() async throws {
    try await Server.with("legacy") { server async throws in
      #expect(try await server.text("requests") == "[{}, -32601, -32601, -32601]")
    }
  }

  @Test(arguments: revisions) func aFormAndAnAddressAreQuestions(_ revision: String) async throws {
    try await Server.with(revision) { server async throws in
      #expect(try await server.text("form") == #"{"action": "cancel"}"#)
      server.onQuestion { question in
        #expect(question.message == "Which?")
        guard case .form(let fields) = question.kind else { return .decline }
        #expect(fields.map(\.title) == ["How many", "colour"])
        #expect(fields.map(\.isRequired) == [true, false])
        return .accept(["size": 3, "colour": "red"])
      }
      #expect(try await server.text("form") == #"{"action": "accept", "content": {"colour": "red", "size": 3}}"#)
      server.onQuestion { _ in .accept(["size": "three"]) }
      #expect(try await server.text("form") == #"{"action": "cancel"}"#)
      server.onQuestion { $0.kind == .page("https://example.org/") ? .accept([:]) : .decline }
      #expect(try await server.text("page") == #"{"action": "accept"}"#)
    }
  }

  @Test(arguments: revisions) func noServerAsksForAPassword(_ revision: String) async throws {
    try await Server.with(revision) { server async throws in
      server.onQuestion { _ in .accept([:]) }
      for name in ["password", "PIN", "user_pin", "apiKey", "api-key", "access_token", "otp"] {
        #expect(try await server.text("password", ["text": .string(name)]) == #"{"action": "decline"}"#, "\(name)")
      }
      #expect(
        try await server.text("password", ["text": "value", "message": "Your password, please"])
          == #"{"action": "decline"}"#)
      #expect(try await server.text("password", ["text": "opinion"]).contains("accept"))
    }
  }

  @Test func theNumberOfQuestionsIsBounded() async throws {
    try await Server.with("modern") { server async throws in
      server.onQuestion { _ in .accept([:]) }
      #expect(await server.failure("rounds").contains("it asks again and again"))
    }
    try await Server.with("legacy") { server async throws in
      server.onQuestion { _ in .accept([:]) }
      let answers = try await server.text("rounds")
      #expect(answers.split(separator: "accept").count == 9)
      #expect(answers.split(separator: "cancel").count == 13)
    }
  }

  @Test func theDeadlineWaitsForTheUser() async throws {
    try await Server.with("legacy", callTimeout: .seconds(15)) { server async throws in
      server.onQuestion { _ in
        try? await sleep(for: .seconds(16))
        return .accept(["size": 1])
      }
      #expect(try await server.text("form").contains("accept"))
    }
  }
}
