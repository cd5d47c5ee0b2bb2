// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

struct ResponseAssemblerTests {
  /// The result of a sequence of events.
  private struct Result: Equatable {
    var pieces: [String]
    var text: String
  }

  private static func assemble(_ events: [ResponseEvent]) -> Result {
    let text = AnswerText()
    var assembler = ResponseAssembler(text)
    let pieces = events.map { assembler.take($0, into: text) }
    return Result(pieces: pieces, text: text.whole)
  }

  private static func failure(_ event: ResponseEvent) -> ChappieClientError? {
    var assembler = ResponseAssembler(AnswerText())
    #expect(assembler.take(event) == "")
    guard case .failed(let failure) = assembler.outcome else { return nil }
    return failure.error
  }

  // MARK: Events of other answers

  @Test(arguments: [
    ResponseEvent.textDelta("late"), .message("late"), .completed(id: "late", usage: ChappieTokenUsage()),
    .incomplete(reason: nil),
  ])
  func eventBeforeADueBeginningMeansAStaleSocket(_ event: ResponseEvent) {
    var assembler = ResponseAssembler(AnswerText(), beginning: .due)
    #expect(assembler.take(.other) == "")
    #expect(assembler.take(event) == "")
    guard case .failed(.staleSocket) = assembler.outcome else {
      Issue.record("another outcome: \(assembler.outcome)")
      return
    }
    #expect(assembler.items.isEmpty)
  }

  @Test func takesTheAnswerFromItsBeginning() {
    var assembler = ResponseAssembler(AnswerText(), beginning: .due)
    #expect(!assembler.hasBegun)
    _ = assembler.take(.created(id: "mine"))
    #expect(assembler.hasBegun && assembler.answerID == "mine")
    #expect(assembler.take(.textDelta("words")) == "words")
  }

  @Test func eventOfAnotherAnswerBreaksThisOne() {
    var assembler = ResponseAssembler(AnswerText())
    _ = assembler.take(.foreign)
    guard case .failed(.broken) = assembler.outcome else {
      Issue.record("another outcome: \(assembler.outcome)")
      return
    }
  }

  // MARK: Text

  @Test func deltasFormTheText() {
    let result = Self.assemble([.textDelta("Grüß "), .other, .textDelta("dich"), .message("Grüß dich")])
    #expect(result == Result(pieces: ["Grüß ", "", "dich", ""], text: "Grüß dich"))
  }

  @Test func takesTheTextOfAMessageWithoutDeltas() {
    #expect(Self.assemble([.message("whole")]) == Result(pieces: ["whole"], text: "whole"))
    #expect(Self.assemble([.message("")]) == Result(pieces: [""], text: ""))
  }

  @Test func messageCompletesItsDeltas() {
    let result = Self.assemble([.textDelta("Grü"), .message("Grüß dich 😀")])
    #expect(result == Result(pieces: ["Grü", "ß dich 😀"], text: "Grüß dich 😀"))
  }

  @Test func comparesEachMessageWithItsOwnDeltas() {
    let result = Self.assemble([
      .textDelta("one"), .message("one"), .textDelta("tw"), .message("two"), .message("three"),
    ])
    #expect(result == Result(pieces: ["one", "", "\n\ntw", "o", "\n\nthree"], text: "one\n\ntwo\n\nthree"))
    let same = Self.assemble([.textDelta("a"), .message("a"), .textDelta("a"), .message("a")])
    #expect(same.text == "a\n\na")
  }

  /// The gap is part of the following text, so an empty message adds none.
  @Test func emptyMessagesAddNoGap() {
    #expect(Self.assemble([.message(""), .textDelta("a"), .message("a")]).text == "a")
    #expect(Self.assemble([.textDelta("a"), .message("a"), .textDelta(""), .message("")]).text == "a")
    let late = Self.assemble([.textDelta("a"), .message("a"), .message(""), .textDelta("b"), .message("bc")])
    #expect(late == Result(pieces: ["a", "", "", "\n\nb", "c"], text: "a\n\nbc"))
  }

  // MARK: Refusals

  @Test func marksARefusalAndKeepsItsText() {
    let refusal = ResponseEvent.itemDone([
      "type": "message", "content": [["type": "refusal", "refusal": "I cannot help with that."]],
    ])
    for events in [[ResponseEvent.refusalDelta("I cannot "), .refusalDelta("help with that."), refusal], [refusal]] {
      #expect(Self.assemble(events).text == "I cannot help with that.")
      let text = AnswerText()
      var assembler = ResponseAssembler(text)
      #expect(!assembler.isRefusal)
      for event in events { _ = assembler.take(event, into: text) }
      #expect(assembler.isRefusal)
    }
  }

  /// Delivered text cannot be withdrawn.
  @Test(arguments: ["other text that is longer", "short", "", "Written"])
  func ignoresAMessageThatContradictsItsDeltas(_ whole: String) {
    #expect(Self.assemble([.textDelta("written text"), .message(whole)]).text == "written text")
  }

  // MARK: After a reconnect

  /// The whole text after a second attempt that follows `first`, and whether the attempt completes.
  private static func repeating(_ first: String, _ events: [ResponseEvent]) -> (text: String, ends: Bool) {
    let text = AnswerText()
    text.append(first)
    var assembler = ResponseAssembler(text)
    for event in events {
      // Nothing is read after the outcome.
      if case .open = assembler.outcome { _ = assembler.take(event, into: text) }
    }
    if case .completed = assembler.outcome { return (text.whole, true) }
    return (text.whole, false)
  }

  private static let end = ResponseEvent.completed(id: "r", usage: ChappieTokenUsage())

  @Test(arguments: [
    [ResponseEvent.textDelta("Grüß dich, Welt")], [.textDelta("Grüß "), .textDelta("dich, W"), .textDelta("elt")],
    [.textDelta("Grüß dich"), .message("Grüß dich, Welt")], [.message("Grüß dich, Welt")],
  ])
  func skipsTextRepeatedAfterAReconnect(_ events: [ResponseEvent]) {
    #expect(Self.repeating("Grüß dich", events + [Self.end]) == ("Grüß dich, Welt", true))
  }

  @Test(arguments: [
    [ResponseEvent.textDelta("Guten Tag")], [.textDelta("Gr"), .textDelta("au")], [.textDelta("Grüß")], [],
    [.textDelta("Guten Tag, liebe Welt")], [.textDelta("Gr"), .textDelta("au, liebe Welt")],
  ])
  func refusesADifferentAnswerAfterAReconnect(_ events: [ResponseEvent]) {
    #expect(Self.repeating("Grüß dich", events + [Self.end]) == ("Grüß dich", false))
  }

  // MARK: Outcome

  @Test func staysOpenUntilTheEndEvent() {
    let text = AnswerText()
    var assembler = ResponseAssembler(text)
    for event in [ResponseEvent.textDelta("a"), .message("a"), .other] { _ = assembler.take(event, into: text) }
    guard case .open = assembler.outcome else {
      Issue.record("it ended by itself")
      return
    }
  }

  @Test func endEventKeepsIDAndUsage() {
    var assembler = ResponseAssembler(AnswerText())
    let usage = ChappieTokenUsage(inputTokens: 1, cachedInputTokens: 2, outputTokens: 3, reasoningTokens: 4)
    #expect(assembler.take(.completed(id: "resp_1", usage: usage)) == "")
    guard case .completed("resp_1", usage) = assembler.outcome else {
      Issue.record("\(assembler.outcome)")
      return
    }
  }

  @Test(arguments: ["usage_limit_reached", "insufficient_quota"])
  func reachedUsageLimitHasItsOwnError(_ code: String) {
    let error = Self.failure(.failed(WireError(code: code, message: "m", plan: "plus", resetsAt: 7)))
    #expect(error == .usageLimitReached(ChappieUsageLimit(plan: ChappiePlan(rawValue: "plus"), resetsAtSeconds: 7)))
  }

  @Test(arguments: ["rate_limit_exceeded", "slow_down"])
  func rateLimitIsStatus429(_ code: String) {
    #expect(
      Self.failure(.failed(WireError(code: code, message: "wait", plan: nil, resetsAt: nil))) == .httpError(429, "wait")
    )
    guard
      case .httpError(429, let text)? = Self.failure(
        .failed(WireError(code: code, message: nil, plan: nil, resetsAt: nil)))
    else {
      Issue.record("not 429")
      return
    }
    #expect(!text.isEmpty)
  }

  @Test func otherFailuresContainTheReason() {
    let cases: [(code: String?, message: String?, part: String)] = [
      ("context_length_exceeded", "The input is too long.", "The input is too long."),
      ("invalid_prompt", nil, "invalid_prompt"),
      (nil, "because", "because"), (nil, nil, "no reason"),
    ]
    for (code, message, part) in cases {
      guard
        case .httpError(200, let text)? = Self.failure(
          .failed(WireError(code: code, message: message, plan: nil, resetsAt: nil)))
      else {
        Issue.record("\(code ?? "none") is another error")
        continue
      }
      #expect(text.contains(part))
    }
  }

  @Test func incompleteAnswerContainsTheReason() {
    guard case .httpError(200, let text)? = Self.failure(.incomplete(reason: "max_output_tokens")) else {
      Issue.record("another error")
      return
    }
    #expect(text.contains("max_output_tokens"))
    #expect(Self.failure(.incomplete(reason: nil)) != nil)
  }

  @Test func failuresContainNoToken() {
    let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ0ZXN0In0.c2lnbmF0dXJl"
    let events: [ResponseEvent] = [
      .failed(WireError(code: nil, message: "bad \(token)", plan: nil, resetsAt: nil)),
      .failed(WireError(code: "slow_down", message: token, plan: nil, resetsAt: nil)),
      .failed(WireError(code: token, message: nil, plan: nil, resetsAt: nil)), .incomplete(reason: token),
    ]
    for event in events { #expect(Self.failure(event)?.description.contains("eyJ") == false) }
  }
}

extension ResponseEvent {
  fileprivate static func message(_ text: String) -> ResponseEvent {
    .itemDone(["type": "message", "content": [["type": "output_text", "text": .string(text)]]])
  }
}

extension ResponseAssembler {
  fileprivate mutating func take(_ event: ResponseEvent, into text: AnswerText) -> String {
    text.append(take(event))
  }
}
