// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Glibc

/// Each wait of a turn ends by each thing that can end a turn.
@Suite(.worlds) @GLibActor
struct EndingTests {
  /// What a turn waits for.
  enum Obstacle: String, CaseIterable {
    case question = "the question on its socket"
    case consent = "the user's consent to background use"
    case consentMidway = "the user's consent, because its caller has left"
    case otherTurn = "another turn of its transcript"
    case token = "another access token"
    case head = "the backend's first byte"
    case delta = "the backend's next word"
    case retry = "the time that the backend asked for"
    case reader = "a caller that does not read"
    case tool = "the result of a tool"
    case approval = "an approval"

    /// Whether it begins within the reading of an answer.
    var isInAnswer: Bool { self == .delta || self == .reader || self == .consentMidway || self == .head }
    /// Whether the turn has a caller with a socket.
    var hasLine: Bool { self != .consentMidway }
  }

  /// What ends a turn; the last one ends the service too.
  enum Ending: String, CaseIterable {
    case call = "a call of Cancel"
    case line = "a line that cancels"
    case hangUp = "the end of its socket"
    case leaving = "the leaving of its caller"
    case terminate = "SIGTERM"

    func applies(to obstacle: Obstacle) -> Bool { obstacle.hasLine || self == .call || self == .terminate }
  }

  /// What waits, and what ends it in one world, one after the other.
  struct Endings: CustomTestStringConvertible {
    let transport: World.Plan.Transport
    let obstacle: Obstacle
    let endings: [Ending]

    var testDescription: String { "\(obstacle.rawValue), \(transport.rawValue)" }
  }

  nonisolated static let waits = World.Plan.Transport.allCases.flatMap { transport in
    Obstacle.allCases.filter { transport == .http || $0.isInAnswer }.flatMap { obstacle in
      let endings = Ending.allCases.filter { $0.applies(to: obstacle) }
      // The stand-in ends with a turn that waits for a token.
      return (obstacle == .token ? endings.map { [$0] } : [endings])
        .map { Endings(transport: transport, obstacle: obstacle, endings: $0) }
    }
  }

  @Test(arguments: waits)
  func eachWaitEndsByEachEnding(_ wait: Endings) async throws {
    let obstacle = wait.obstacle
    var plan = World.Plan(transport: wait.transport)
    if obstacle == .token { plan.sandboxArguments = World.Plan.shortTokens.sandboxArguments }
    let world = try await World.begin(plan)
    let watcher = try await watcher(world, for: obstacle)
    try await world.each(wait.endings) { ending in
      let turn = try await waiting(for: obstacle, world, watcher)
      if obstacle == .otherTurn { #expect(try await activeTurns(watcher).count == 2) }
      switch ending {
      case .call: try await (turn.caller ?? watcher).call("Client.Cancel", turn.id)
      case .line: turn.line?.write(["cancel": true])
      case .hangUp: turn.line = nil
      case .leaving: turn.leave()
      case .terminate:
        let process = try #require(world.service.process)
        process.send(SIGTERM)
        if obstacle != .reader, let line = turn.line { #expect(try await line.end().errorName == "Cancelled") }
        // The process stays until the request for the token ends: nobody else would store its tokens.
        if obstacle == .token { await world.sandbox.end() }
        let end = try await process.waitForEnd()
        #expect(end == .exit(0), "\(end)")
        return world.service.acceptEnd()
      }
      try await eventually("the end of the turn") { try await !activeTurns(watcher).contains(turn.id) }
      if obstacle == .otherTurn { #expect(try await activeTurns(watcher).count == 1) }
      if obstacle.isInAnswer {
        try await eventually("the end of its request") { try await world.sandbox.state().openStreams == 0 }
      }
      // Otherwise the service waits at its end for the new token, until the request times out.
      if obstacle == .token { await world.sandbox.end() }
    }
  }

  private func activeTurns(_ caller: Caller) async throws -> [String] {
    try await caller.property("Client.ActiveTurns")
  }

  // MARK: Waiting turns

  /// A turn, as its caller has it.
  @GLibActor
  private final class Waiting {
    let id: String
    var caller: Caller?
    var line: Line?
    private var socket: StreamSocket?

    init(_ id: String, _ caller: Caller? = nil, _ line: Line? = nil) {
      self.id = id
      self.caller = caller
      self.line = line
    }

    /// Leaves the bus and keeps the socket.
    func leave() {
      socket = line?.socket
      line = nil
      caller = nil
    }
  }

  /// A caller that is signed in, and stays.
  private func watcher(_ world: World, for obstacle: Obstacle) async throws -> Caller {
    guard obstacle == .consent || obstacle == .consentMidway else { return try await world.signedInCaller() }
    world.keep(try await NotificationServer(world))
    let caller = try await world.caller()
    try await caller.signIn(notifying: false)
    try await caller.call("Manager.SetBackgroundUse", "", "ask")
    return caller
  }

  /// Starts a turn, and waits until it waits for `obstacle`.
  private func waiting(for obstacle: Obstacle, _ world: World, _ watcher: Caller) async throws -> Waiting {
    if let rules = rules(for: obstacle) { try await world.sandbox.play(rules) }
    if obstacle == .consentMidway { return try await leftTurn(world, watcher) }
    // The other turn goes on after the end of this one.
    if obstacle == .otherTurn, try await activeTurns(watcher).isEmpty {
      _ = try await watcher.stalledTurn(["continue": true])
    }
    let caller = try await Caller(world.directories.busAddress)
    let line = try await caller.openTurn(options(for: obstacle))
    let turn = Waiting(line.turn.id, caller, line)
    if obstacle != .question { line.write(["text": "Go on"]) }
    try await eventually("a turn that waits for \(obstacle.rawValue)") {
      try await isWaiting(line.turn, for: obstacle, world)
    }
    return turn
  }

  private func leftTurn(_ world: World, _ watcher: Caller) async throws -> Waiting {
    let id: String
    do {
      let caller = try await Caller(world.directories.busAddress)
      id = try await caller.stream("Go on", ["broadcast": true]).id
      let turn = Turn(id: id, path: .chappie, caller: caller)
      try await eventually("a part of the answer") { try await !turn.snapshot().text.isEmpty }
    }
    let turn = Turn(id: id, path: .chappie, caller: watcher)
    try await turn.wait(for: "waiting-for-approval")
    // Reads until it has to wait.
    try await settled(turn, above: 0)
    return Waiting(id)
  }

  private func rules(for obstacle: Obstacle) -> String? {
    switch obstacle {
    case .question, .consent: nil
    case .otherTurn, .delta:
      #"[{"endpoint":"responses","text":"Well then.","delta_delay_ms":3600000,"times":"always"}]"#
    case .consentMidway:
      #"[{"endpoint":"responses","delta_delay_ms":5,"text":"\#(String(repeating: "word ", count: 100_000))"}]"#
    case .token: #"[{"endpoint":"refresh","hang":true,"times":"always"}]"#
    case .head: #"[{"endpoint":"responses","hang":true,"times":"always"}]"#
    case .retry: #"[{"endpoint":"responses","status":429,"headers":{"retry-after":"3600"},"times":"always"}]"#
    case .reader: #"[{"endpoint":"responses","flood":{"of":"text"}}]"#
    case .tool, .approval: #"[{"endpoint":"responses","tool_calls":[{"name":"ask"}]}]"#
    }
  }

  private func options(for obstacle: Obstacle) -> VariantDictionary {
    switch obstacle {
    case .consent: ["background": true]
    case .otherTurn: ["continue": true]
    case .tool: ["tools": [Tools.named("ask")]]
    case .approval: ["tools": [Tools.named("ask", policy: "ask")]]
    default: [:]
    }
  }

  private func isWaiting(_ turn: Turn, for obstacle: Obstacle, _ world: World) async throws -> Bool {
    switch obstacle {
    case .question, .otherTurn: return try await turn.snapshot().status == "running"
    case .consent, .consentMidway, .approval: return try await turn.snapshot().status == "waiting-for-approval"
    case .tool: return try await turn.snapshot().status == "waiting-for-tool"
    case .token: return try await world.sandbox.state().requests["refresh"] == 1
    case .head, .retry: return try await world.sandbox.state().requests["responses"] == 1
    case .delta: return try await turn.snapshot().text == Sandbox.stalledText
    case .reader:
      try await settled(turn, above: 100_000)
      return true
    }
  }

  /// Waits until an answer of more than `size` bytes grows no more.
  private func settled(_ turn: Turn, above size: Int) async throws {
    var (last, same) = (0, 0)
    try await eventually("an answer that stops") {
      let count = try await turn.snapshot().text.utf8.count
      same = count == last && count > size ? same + 1 : 0
      last = count
      return same == 20
    }
  }
}
