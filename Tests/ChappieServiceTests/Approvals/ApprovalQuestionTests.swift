// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieService

struct ApprovalQuestionTests {
  private func whole(_ arguments: String, tool: String = "delete") -> String? {
    ApprovalQuestion(tool: tool, arguments: arguments, app: nil).whole
  }

  @Test func showsAShortCallInFull() {
    #expect(whole("{}") == "delete {}")
    #expect(whole(#"{ "file" :"a   b" }"#) == #"delete { "file" :"a   b" }"#)
    let most = String(repeating: "x", count: 200 - #"{"t":""}"#.count)
    #expect(whole(#"{"t":"\#(most)"}"#) != nil)
  }

  @Test(arguments: [
    #"{"t":"\#(String(repeating: "x", count: 200))"}"#, #"{"t":"a    b"}"#,
    #"{"t":"\#(String(repeating: "\\u0020", count: 4))"}"#, #"{"t":"\#(String(repeating: "\u{200B}", count: 40))"}"#,
  ])
  func doesNotShowOtherArgumentsInFull(_ arguments: String) {
    #expect(whole(arguments) == nil)
  }

  @Test func doesNotShowALongOrInvisibleToolNameInFull() {
    #expect(whole("{}", tool: String(repeating: "t", count: 65)) == nil)
    #expect(whole("{}", tool: "a\u{202E}b") == nil)
  }
}
