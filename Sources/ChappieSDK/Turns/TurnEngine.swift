// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Runs the turns of one conversation.
@GLibActor
final class TurnEngine {
  /// The most rounds of tool calls in one turn.
  static let roundLimit = 16

  let requests: RequestRunner
  /// The conversation whose exchange a socket may hold.
  private var continuedThread: String?

  init(_ requests: RequestRunner) {
    self.requests = requests
  }

  isolated deinit {
    forget()
  }

  /// Drops the last exchange: the conversation does not continue from it.
  func forget() {
    requests.files.forget()
    if let continuedThread { requests.slot.idleSockets.forget(continuedThread) }
  }

  /// Sends the request, runs the tools that the model calls, and sends their outputs, until the model calls no more.
  ///
  /// - Parameters:
  ///   - declared: the tools that are declared beside the caller's own; nil for a turn without tools, which the first
  ///     answer ends.
  ///   - isContinued: whether the next turn continues from this one.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func run(
    _ first: TurnRequest, _ declared: [ChappieHarnessTool]?, for caller: TurnCaller, isContinued: Bool
  ) async throws -> TurnResult {
    if isContinued { continuedThread = first.threadID }
    let sockets = requests.slot.idleSockets
    let began = sockets.generation
    let line = BackendLine(requests.usesSockets ? sockets.take(for: first.threadID) : nil)
    defer {
      sockets.keep(line.socket, since: began, isContinued: isContinued)
      if !isContinued { requests.files.forget() }
      MemoryHardening.wipeStack()
    }
    let scope = TurnScope(caller, slot: requests.slot, line)
    do {
      return try await run(first, declared, in: scope)
    } catch {
      caller.record(.failure(after: scope.text.whole))
      throw error
    }
  }

  private func run(
    _ first: TurnRequest, _ declared: [ChappieHarnessTool]?, in scope: TurnScope
  ) async throws -> TurnResult {
    var tools: ToolRunner?
    if let declared { tools = try await ToolRunner(scope.caller.tools, declared: declared, scope) }
    var request = first
    if let tools { request.declare(tools.manifests) }
    var usage = ChappieTokenUsage()
    var citations: [ChappieCitation] = []
    var searches = 0
    var callIDs: Set<String> = []
    for round in 0...Self.roundLimit {
      scope.text.beginAnswer()
      try scope.size.ask(request)
      let reply = try await ChappieClientError.converting { try await requests.answer(request, in: scope) }
      usage = usage + reply.answer.usage
      citations += reply.answer.citations
      searches += reply.answer.searches
      scope.caller.record(.items(reply.answer.items))
      request.input += reply.foreignCalls.kept.map { .produced($0) }
      guard let tools, try reply.callsTools(saying: scope.text.latest, adding: &callIDs) else {
        let response = ChappieResponse(
          outputText: scope.text.settle(), responseID: reply.shownID, model: reply.model, usage: usage,
          isRefusal: reply.answer.isRefusal, searches: first.webSearch.map { _ in searches },
          citations: Array(citations.prefix(ChappieJSONValue.citationLimit)), filesForm: scope.filesForm)
        return TurnResult(response: response, items: Array(request.input.dropFirst(first.input.count)))
      }
      guard round < Self.roundLimit else { break }
      request.input += try await tools.run(reply.calls) + reply.foreignCalls.outputs
    }
    throw ChappieClientError.toolLoopLimitExceeded(Self.roundLimit)
  }
}

/// A turn's complete answer, over all its rounds.
struct TurnResult {
  let response: ChappieResponse
  /// The model's output and the tools' outputs, in order.
  let items: [ConversationItem]
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
