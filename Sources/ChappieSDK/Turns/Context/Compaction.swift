import GLibBridge

/// Lets the model summarise a conversation.
@GLibActor
struct Compaction {
  private static let instructions = """
    You write the summary that replaces a conversation. Its reader continues the conversation and knows nothing \
    else of it.
    Keep: what the user wants and prefers, what was decided, facts, names, numbers, what tools have said, and what is \
    still open. Leave out greetings and detours. Write in the conversation's language, in short paragraphs, without a \
    preface. Do not answer what was asked.
    """

  let engine: TurnEngine
  var hold: TurnSize.Hold = { (_) throws(ChappieClientError) in }

  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there is nothing to summarise; other cases of
  ///   ``ChappieClientError``; `CancellationError`.
  func summary(of transcript: Transcript, _ interaction: UserInteraction) async throws -> String {
    guard !transcript.items.isEmpty else {
      throw ChappieClientError.invalidArgument("There is no conversation to compact yet.")
    }
    let request = TurnRequest(
      transcript.choice, harness: ChappieHarness(name: "", instructions: Self.instructions),
      input: transcript.input + [.message(.user("Write the summary of this conversation now."))],
      options: ChappieMessageOptions(), threadID: transcript.threadID)
    let caller = TurnCaller(interaction: interaction, hold: hold) { _ in .proceed }
    let answer = try await engine.run(request, .none, for: caller, isContinued: false)
    guard !answer.text.isEmpty else { throw ChappieClientError.network("the model wrote no summary") }
    return answer.text
  }
}
