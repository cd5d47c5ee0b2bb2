// Asks the arguments, and stops the answer when the user types Enter. What was said so far is not part of the
// conversation then, so the next question is a new beginning.
import ChappieSDK
import ExampleSupport

await run {
  let client = Chappie.client(configuration: try exampleConfiguration())
  let question = CommandLine.arguments.dropFirst().joined(separator: " ")
  let answer = Task { try await show(client.stream(question)) }
  Task {
    if await nextLine() != nil { answer.cancel() }
  }
  do {
    try await answer.value
  } catch is CancellationError {
    say("\nCancelled.")
  }
  say("The conversation has \(await client.context().messages.count) messages.")
}
