// A conversation in threads, which are kept encrypted. Each line is a message, or one of these commands:
//   /threads   lists the threads, the latest first
//   /open N    goes on with a thread of this list
//   /new       begins another thread
import ChappieSDK
import ChappieSDKRuntime
import ExampleSupport

await run {
  let configuration = try exampleConfiguration()
  let store = ChappieFileThreadStore(configuration: configuration)
  let chat = Chappie.client(configuration: configuration).runtime(store: store)
  while let line = await nextLine() {
    let words = line.split(separator: " ")
    switch words.first {
    case "/threads":
      for (number, thread) in try await chat.listThreads(limit: 20).enumerated() {
        say("\(number + 1). \(thread.title) (\(thread.turnCount) turns)")
      }
    case "/open":
      let threads = try await chat.listThreads(limit: 20)
      guard let number = words.last.flatMap({ Int($0) }), threads.indices.contains(number - 1) else {
        say("There is no such thread.")
        continue
      }
      let thread = try await chat.resume(thread: threads[number - 1].id)
      for turn in thread.turns {
        for event in turn.events {
          switch event {
          case .input(let message): say("> \(message.text)")
          case .output(let text, _, _): say(text)
          default: break
          }
        }
      }
    case "/new": try await chat.createThread()
    case nil: continue
    default: try await show(chat.stream(line))
    }
  }
}
