// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

struct ResponseAssemblerTests {
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
  func eventBeforeADueBeginningMeansAStaleSocket(_ event: ResponseEvent) throws {
    var assembler = ResponseAssembler(AnswerText(), beginning: .due)
    #expect(assembler.take(.other) == "")
    #expect(assembler.take(event) == "")
    guard case .failed(.staleSocket) = assembler.outcome else { throw UnmetCondition("a stale socket") }
    #expect(assembler.items.isEmpty)
  }

  @Test func takesTheAnswerFromItsBeginning() {
    var assembler = ResponseAssembler(AnswerText(), beginning: .due)
    #expect(!assembler.hasBegun)
    _ = assembler.take(.created(id: "mine"))
    #expect(assembler.hasBegun && assembler.answerID == "mine")
    #expect(assembler.take(.textDelta("words")) == "words")
  }

  @Test func eventOfAnotherAnswerBreaksThisOne() throws {
    var assembler = ResponseAssembler(AnswerText())
    _ = assembler.take(.foreign)
    guard case .failed(.broken) = assembler.outcome else { throw UnmetCondition("a break") }
  }

  // MARK: Text

  @Test(
    arguments: [
      ([.textDelta("Grüß "), .other, .textDelta("dich"), .message("Grüß dich")], ["Grüß ", "", "dich", ""]),
      ([.message("whole")], ["whole"]), ([.message("")], [""]),
      ([.textDelta("Grü"), .message("Grüß dich 😀")], ["Grü", "ß dich 😀"]),
      // Each message has deltas of its own.
      (
        [.textDelta("one"), .message("one"), .textDelta("tw"), .message("two"), .message("three")],
        ["one", "", "\n\ntw", "o", "\n\nthree"]
      ),
      ([.textDelta("a"), .message("a"), .textDelta("a"), .message("a")], ["a", "", "\n\na", ""]),
      // The gap is part of the following text, so an empty message adds none.
      ([.message(""), .textDelta("a"), .message("a")], ["", "a", ""]),
      ([.textDelta("a"), .message("a"), .textDelta(""), .message("")], ["a", "", "", ""]),
      (
        [.textDelta("a"), .message("a"), .message(""), .textDelta("b"), .message("bc")],
        ["a", "", "", "\n\nb", "c"]
      ),
      // Delivered text cannot be withdrawn.
      ([.textDelta("written text"), .message("other text that is longer")], ["written text", ""]),
      ([.textDelta("written text"), .message("short")], ["written text", ""]),
      ([.textDelta("written text"), .message("")], ["written text", ""]),
      ([.textDelta("written text"), .message("Written")], ["written text", ""]),
    ] as [([ResponseEvent], [String])])
  func deltasAndMessagesFormTheText(_ events: [ResponseEvent], _ pieces: [String]) {
    let text = AnswerText()
    var assembler = ResponseAssembler(text)
    let found = events.map { assembler.take($0, into: text) }
    #expect(found == pieces)
    #expect(text.whole == pieces.joined())
  }

  // MARK: Refusals

  @Test func marksARefusalAndKeepsItsText() {
    let refusal = ResponseEvent.itemDone([
      "type": "message", "content": [["type": "refusal", "refusal": "I cannot help with that."]],
    ])
    for events in [[ResponseEvent.refusalDelta("I cannot "), .refusalDelta("help with that."), refusal], [refusal]] {
      let text = AnswerText()
      var assembler = ResponseAssembler(text)
      #expect(!assembler.isRefusal)
      for event in events { _ = assembler.take(event, into: text) }
      #expect(assembler.isRefusal && text.whole == "I cannot help with that.")
    }
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

  @Test func staysOpenUntilTheEndEventWithIDAndUsage() throws {
    let text = AnswerText()
    var assembler = ResponseAssembler(text)
    for event in [ResponseEvent.textDelta("a"), .message("a"), .other] { _ = assembler.take(event, into: text) }
    guard case .open = assembler.outcome else { throw UnmetCondition("an open answer") }
    let usage = ChappieTokenUsage(inputTokens: 1, cachedInputTokens: 2, outputTokens: 3, reasoningTokens: 4)
    #expect(assembler.take(.completed(id: "resp_1", usage: usage)) == "")
    guard case .completed("resp_1", usage) = assembler.outcome else { throw UnmetCondition("the end") }
  }

  @Test(arguments: ["usage_limit_reached", "insufficient_quota"])
  func reachedUsageLimitHasItsOwnError(_ code: String) {
    let error = Self.failure(.failed(WireError(code: code, message: "m", plan: "plus", resetsAt: 7)))
    let limit = ChappieUsageLimit(plan: ChappiePlan(rawValue: "plus"), resetsAt: .init(unixSeconds: 7))
    #expect(error == .usageLimitReached(limit))
  }

  @Test(arguments: ["rate_limit_exceeded", "slow_down"])
  func rateLimitIsStatus429(_ code: String) throws {
    #expect(Self.failure(.failed(WireError(code: code, message: "wait"))) == .httpError(429, "wait"))
    guard case .httpError(429, let text)? = Self.failure(.failed(WireError(code: code, message: nil))) else {
      throw UnmetCondition("a rate limit")
    }
    #expect(!text.isEmpty)
  }

  @Test func otherFailuresContainTheReason() throws {
    let cases: [(event: ResponseEvent, part: String)] = [
      (.failed(WireError(code: "context_length_exceeded", message: "It is too long.")), "It is too long."),
      (.failed(WireError(code: "invalid_prompt", message: nil)), "invalid_prompt"),
      (.failed(WireError(code: nil, message: "because")), "because"),
      (.failed(WireError(code: nil, message: nil)), "no reason"),
      (.incomplete(reason: "max_output_tokens"), "max_output_tokens"), (.incomplete(reason: nil), ""),
    ]
    for (event, part) in cases {
      guard case .httpError(200, let text)? = Self.failure(event) else { throw UnmetCondition("an error of \(event)") }
      #expect(part.isEmpty || text.contains(part))
    }
  }

  @Test func failuresContainNoToken() {
    let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ0ZXN0In0.c2lnbmF0dXJl"
    let events: [ResponseEvent] = [
      .failed(WireError(code: nil, message: "bad \(token)")),
      .failed(WireError(code: "slow_down", message: token)),
      .failed(WireError(code: token, message: nil)), .incomplete(reason: token),
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
