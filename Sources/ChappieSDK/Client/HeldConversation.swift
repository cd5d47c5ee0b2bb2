// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Exclusive access to a client's conversation. Do not store it.
@GLibActor
package struct HeldConversation {
  let client: ChappieClient

  /// The current state of the conversation.
  package var context: ChappieClientContext { client.currentContext }

  /// Answers the next message, and appends both. A failed turn changes nothing.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  package func answer(_ message: ChappieInputMessage, for caller: TurnCaller) async throws -> ChappieResponse {
    let new = try ChappieClient.items([message])
    let choice = ModelChoice(message.options.model) ?? client.transcript.choice
    try await compactIfFull(with: new, choice, caller)
    let result = try await client.answer(client.transcript.input + new, message.options, caller)
    client.transcript.append(new + result.items)
    return result.response
  }

  /// Answers a transcript of the caller, which then replaces the conversation's.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func replay(_ request: ChappieResponseRequest, for caller: TurnCaller) async throws -> ChappieResponse {
    let input = try ChappieClient.items(request.messages)
    let result = try await client.answer(input, request.options, caller)
    client.transcript.replace(with: input + result.items)
    return result.response
  }

  /// Clears the conversation.
  @discardableResult
  package func clear() -> ChappieClientContext { client.change { $0.clear() } }

  /// Removes the user's last message and everything after it.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there is none.
  @discardableResult
  func removeLastTurn() throws(ChappieClientError) -> ChappieClientContext {
    try client.change { (transcript) throws(ChappieClientError) in try transcript.removeLastTurn() }
  }

  /// Resumes a stored conversation.
  @discardableResult
  package func resume(_ context: ChappieClientContext) -> ChappieClientContext {
    client.change { $0.resume(context) }
  }

  /// Replaces the messages by `summary`.
  @discardableResult
  package func compact(_ summary: String) -> ChappieClientContext { client.change { $0.replace(summary: summary) } }

  /// Replaces the messages by a summary that the model writes.
  ///
  /// - Parameter hold: reserves the memory that this takes, in bytes, and throws if there is no room.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  package func compact(
    interaction: UserInteraction,
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void = { (_) throws(ChappieClientError) in }
  ) async throws -> ChappieClientContext {
    let transcript = client.transcript
    guard !transcript.items.isEmpty else {
      throw ChappieClientError.invalidArgument(en("There is no conversation to compact yet."))
    }
    let request = TurnRequest(
      transcript.choice, harness: ChappieHarness(name: "", instructions: Self.compaction),
      input: transcript.input + [.message(.user("Write the summary of this conversation now."))],
      options: ChappieMessageOptions(), threadID: transcript.threadID)
    let caller = TurnCaller(interaction: interaction, hold: hold) { _ in .proceed }
    let summary = try await client.engine.run(request, nil, for: caller, isContinued: false).response.outputText
    guard !summary.isEmpty else { throw ChappieClientError.network(en("the model wrote no summary")) }
    return compact(summary)
  }

  private static let compaction = """
    You write the summary that replaces a conversation. Its reader continues the conversation and knows nothing \
    else of it.
    Keep: what the user wants and prefers, what was decided, facts, names, numbers, what tools have said, and what is \
    still open. Leave out greetings and detours. Write in the conversation's language, in short paragraphs, without a \
    preface. Do not answer what was asked.
    """

  /// Compacts the conversation if the configuration asks for it and the next message would not fit.
  private func compactIfFull(
    with new: [ConversationItem], _ choice: ModelChoice, _ caller: TurnCaller
  ) async throws {
    let (transcript, configuration) = (client.transcript, client.configuration)
    guard configuration.automaticCompaction != .off, !transcript.items.isEmpty else { return }
    let tokens = (transcript.input + new).reduce(0) { $0 + $1.byteCount } / 4
    // Without the list of models the window is unknown. The turn itself reports the error.
    guard let window = try? await client.engine.requests.catalogue.contextWindow(for: choice, caller.interaction),
      configuration.automaticCompaction.isDue(tokens: tokens, contextWindow: window)
    else { return }
    let context = try await compact(interaction: caller.interaction, hold: caller.hold)
    caller.record(.compaction(summary: context.compactedSummary ?? ""))
  }
}
