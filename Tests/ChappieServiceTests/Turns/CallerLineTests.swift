// SPDX-License-Identifier: Apache-2.0
@testable import ChappieService

/// The lines that a caller writes on the socket of its turn.
struct CallerLineTests {
  @Test func aQuestionIsTextOrATranscript() throws {
    guard case .question(.text("hello"), let none) = try line(#"{"text":"hello"}"#) else {
      Issue.record("It is no text.")
      return
    }
    #expect(none.images.isEmpty && none.files.isEmpty)
    let text = #"""
      {"messages":[{"role":"user","text":"a"},{"role":"assistant","text":"b"}],"images":["/x.png","https://a.example"],
      "files":["/x.pdf"]}
      """#
    guard case .question(.transcript(let messages), let attachments) = try line(text) else {
      Issue.record("It is no transcript.")
      return
    }
    #expect(messages.map(\.role) == [.user, .assistant])
    #expect(messages.map(\.text) == ["a", "b"])
    #expect(attachments.images == ["/x.png", "https://a.example"])
    #expect(attachments.files == ["/x.pdf"])
  }

  @Test(arguments: [(#""status":"failed","#, true), (#""status":"completed","#, false), ("", false)])
  func aResultMayBeAFailure(_ status: String, _ isFailure: Bool) throws {
    guard case .toolResult("c", let result) = try line(#"{"tool_result":{\#(status)"call":"c","output":"o"}}"#) else {
      Issue.record("It is no result.")
      return
    }
    #expect(result.output == "o")
    #expect(result.isFailure == isFailure)
  }

  /// Later versions may add keys.
  @Test func anApprovalMayHaveAReasonAndAnyLineUnknownKeys() throws {
    guard
      case .approval("c", .deny(reason: "no")) = try line(
        #"{"approval":{"call":"c","approved":false,"reason":"no"}}"#),
      case .approval("c", .approve) = try line(#"{"approval":{"call":"c","approved":true,"reason":null}}"#),
      case .cancel = try line(#" {"cancel":true,"why":{"a":[1,2]}} "#)
    else {
      Issue.record("It is no approval, or does not cancel.")
      return
    }
  }

  @Test(arguments: [
    (#"{"tool_result":{"call":"c","output":"o","status":"done"}}"#, "status"),
    (#"{"tool_result":{"call":5,"output":"o"}}"#, "'call'"), (#"{"tool_result":"o"}"#, "'call'"),
    (#"{"approval":{"call":"c"}}"#, "'approved'"), (#"{"messages":[5]}"#, "'role'"), ("[1]", "no JSON object"),
    (#"{"question":"hello"}"#, "exactly one"), (#"{"text":"hello","cancel":true}"#, "exactly one"),
  ])
  func aRefusalSaysWhatIsWrong(_ text: String, _ part: String) {
    let error = #expect(throws: BusError.self) { try line(text) }
    #expect(error?.name == "org.chappie.Error.InvalidArgument")
    #expect(error?.message.contains(part) == true)
  }

  /// A list of a million numbers would take sixteen times its text.
  @Test func aLineOfManyValuesIsRefused() {
    let text = #"{"text":"a","images":["# + String(repeating: "1,", count: 100_000) + "1]}"
    let error = #expect(throws: BusError.self) { try line(text) }
    #expect(error?.name == "org.chappie.Error.LimitExceeded")
  }

  private func line(_ text: String) throws -> CallerLine { try CallerLine(Array(text.utf8)) }
}
