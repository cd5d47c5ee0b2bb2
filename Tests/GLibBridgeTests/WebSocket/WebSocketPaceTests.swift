// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A server sends as fast as the connection allows.
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct WebSocketPaceTests {
  @Test func answersPingsUpToAFlood() async throws {
    let pipe = try WebSocketPipe()
    for _ in 0..<100 { pipe.send("", .ping) }
    pipe.send("a word")
    try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { _ in .stop }
    var pongs = 0
    while pongs < 100 {
      pongs += pipe.received().filter { $0.opcode == .pong }.count
      try await sleep(for: .milliseconds(1))
    }
    #expect(pongs == 100)
    pipe.sendRaw(Array(repeating: [0x89, 0], count: 1000).flatMap { $0 })
    #expect(try await pipe.failure().message.contains("flood"))
    #expect(!pipe.socket.isOpen)
  }

  /// The socket reads in slices, so that other work of the main loop runs in between.
  @Test func otherTasksRunBetweenMessages() async throws {
    let pipe = try WebSocketPipe()
    let messages = Array(repeating: [0x81, 2] + Array("{}".utf8), count: 40_000).flatMap { $0 }
    let count = messages.count / 4
    var turns = 0
    var taken = 0
    var first: Int?
    let reading = Task.onGLib {
      try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { _ in
        first = first ?? turns
        taken += 1
        return taken == count ? .stop : .proceed
      }
    }
    // The reader starts first: it would get messages that already wait without a pause.
    await Task.yield()
    pipe.sendRaw(messages)
    let other = Task.onGLib {
      while !Task.isCancelled {
        turns += 1
        await Task.yield()
      }
    }
    try await reading.value
    other.cancel()
    #expect(turns - (first ?? turns) >= 5)
  }

  /// The socket reads nothing for a paused reader, so the sender has to wait.
  @Test func aPauseStopsTheSender() async throws {
    let pipe = try WebSocketPipe()
    let pause = Wait()
    var taken = 0
    let message = [0x81, 126, 0x7F, 0xFF] + [UInt8](repeating: 0x78, count: 0x7FFF)
    let reading = Task.onGLib {
      try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { _ in
        taken += 1
        if taken == 1 { return .pause(until: Task.onGLib { await pause.value() }) }
        return taken == 100 ? .stop : .proceed
      }
    }
    var sent = 0
    let writing = Task.onGLib {
      for _ in 0..<100 {
        try await pipe.sendSlowly(message)
        sent += 1
      }
    }
    while taken == 0 { try await sleep(for: .milliseconds(1)) }
    var before = -1
    while before != sent {
      before = sent
      try await sleep(for: .milliseconds(50))
    }
    #expect(taken == 1)
    #expect(sent < 50)
    pause.finish()
    try await reading.value
    try await writing.value
    #expect(taken == 100)
  }

  @Test func aLaterDecisionAppliesToReading() async throws {
    let pipe = try WebSocketPipe()
    for text in ["one", "two", "three"] { pipe.send(text) }
    var taken: [String] = []
    try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { message in
      let text = String(decoding: Array(copying: message), as: UTF8.self)
      return .decide(
        Task.onGLib {
          await Task.yield()
          taken.append(text)
          return text == "two" ? .stop : .proceed
        })
    }
    #expect(taken == ["one", "two"])
    #expect(pipe.socket.isOpen)
  }
}
