// Each run asks the arguments in the thread of the run before, so the model knows what was said.
import ChappieSDK
import ChappieSDKRuntime
import ExampleSupport

await run {
  let configuration = try exampleConfiguration()
  let store = ChappieFileThreadStore(configuration: configuration)
  let runtime = Chappie.client(configuration: configuration).runtime(store: store)
  if let latest = try await runtime.listThreads(limit: 1).first {
    let thread = try await runtime.resume(thread: latest.id)
    say("Going on with '\(thread.summary.title)' after \(thread.summary.turnCount) turns.")
  }
  do {
    say(try await runtime.send(CommandLine.arguments.dropFirst().joined(separator: " ")))
  } catch ChappieRuntimeError.notStored(let response, let reason) {
    // The answer is there, and the next run will not know it.
    say(response.outputText)
    say("This turn was not stored: \(reason)")
  }
}
