// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Runs the turns of one conversation.
@GLibActor
final class TurnEngine {
  /// The most rounds of tool calls in one turn.
  static let roundLimit = 16

  /// The tools of a turn.
  enum Tools {
    /// Tools that are declared here, and the caller's own.
    case declared([ChappieHarnessTool])
    /// No tools: the first answer ends the turn.
    case none
  }

  private let slot: CredentialSlot
  private let requests: RequestRunner
  /// The conversation whose exchange a socket may hold.
  private var continuedThread: String?

  init(slot: CredentialSlot, backoff: ChappieRateLimitBackoffPolicy, policy: ChappieStreamingTransportPolicy) {
    self.slot = slot
    requests = RequestRunner(slot: slot, backoff: backoff, policy: policy)
  }

  isolated deinit {
    forget()
  }

  /// Drops the last exchange: the conversation does not continue from it.
  func forget() {
    if let continuedThread { slot.idleSockets.forget(continuedThread) }
  }

  /// Prepares for a turn that will come soon: a connection, the credential's validity, and the list of models.
  func expectTurn(_ choice: ModelChoice) {
    requests.prepare(choice)
  }

  /// Sends the request, runs the tools that the model calls, and sends their outputs, until the model calls no more.
  ///
  /// - Parameter isContinued: whether the next turn continues from this one.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func run(_ first: TurnRequest, _ tools: Tools, for caller: TurnCaller, isContinued: Bool) async throws -> TurnResult {
    if isContinued { continuedThread = first.threadID }
    let sockets = slot.idleSockets
    let began = sockets.generation
    let line = BackendLine(requests.usesSockets ? sockets.take(for: first.threadID) : nil)
    defer {
      sockets.keep(line.socket, since: began, isContinued: isContinued)
      MemoryHardening.wipeStack()
    }
    let scope = TurnScope(caller, slot: slot, line)
    switch tools {
    case .declared(let declared):
      let runner = try await ToolRunner(caller.tools, declared: declared, scope)
      return try await run(first, in: scope, runner)
    case .none:
      return try await run(first, in: scope, nil)
    }
  }

  private func run(_ first: TurnRequest, in scope: TurnScope, _ tools: ToolRunner?) async throws -> TurnResult {
    var request = first
    if let tools { request.declare(tools.manifests) }
    var usage = ChappieTokenUsage()
    for round in 0...Self.roundLimit {
      scope.text.beginAnswer()
      try scope.size.ask(request)
      let answer = try await ChappieClientError.converting { try await requests.answer(request, in: scope) }
      usage = usage + answer.usage
      scope.record(.items(answer.items))
      request.input += answer.foreignCalls.kept.map { .produced($0) }
      guard let tools, try answer.callsTools(saying: scope.text.latest) else {
        return TurnResult(
          text: scope.text.settle(), model: answer.model, isRefusal: answer.isRefusal,
          items: Array(request.input.dropFirst(first.input.count)), responseID: answer.shownID, usage: usage)
      }
      guard round < Self.roundLimit else { break }
      request.input += try await tools.run(answer.calls) + answer.foreignCalls.outputs
    }
    throw ChappieClientError.toolLoopLimitExceeded(Self.roundLimit)
  }
}

/// A turn's complete answer, over all its rounds.
struct TurnResult {
  let text: String
  /// The slug of the model that the request named.
  let model: String
  /// Whether the model refuses to answer.
  let isRefusal: Bool
  /// The model's output and the tools' outputs, in order.
  let items: [ConversationItem]
  /// The id as it may be shown; empty if it may not be shown.
  let responseID: String
  let usage: ChappieTokenUsage
}

extension ModelAnswer {
  /// Whether the turn continues with outputs of tools.
  ///
  /// - Throws: ``ChappieClientError`` if the turn should continue and cannot.
  fileprivate func callsTools(saying text: Substring) throws -> Bool {
    guard calls.allSatisfy(\.hasPlainID), foreignCalls.havePlainIDs else {
      throw ChappieClientError.httpError(200, "The backend called a tool with an id that cannot be used.")
    }
    if !calls.isEmpty || !foreignCalls.outputs.isEmpty { return true }
    // The answer consists of calls that this client cannot run.
    if text.isEmpty, let kind = foreignCalls.omittedKind { throw ChappieClientError.missingToolHandler(kind) }
    return false
  }
}

extension ChappieTokenUsage {
  fileprivate static func + (left: ChappieTokenUsage, right: ChappieTokenUsage) -> ChappieTokenUsage {
    func sum(_ count: (ChappieTokenUsage) -> Int) -> Int {
      (Count(clamping: count(left)) + Count(clamping: count(right))).value
    }
    return ChappieTokenUsage(
      inputTokens: sum(\.inputTokens), cachedInputTokens: sum(\.cachedInputTokens), outputTokens: sum(\.outputTokens),
      reasoningTokens: sum(\.reasoningTokens))
  }
}
