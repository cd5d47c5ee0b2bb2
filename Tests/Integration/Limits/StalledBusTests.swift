// SPDX-License-Identifier: Apache-2.0

/// The bus reads nothing while the backend sends as fast as possible.
@Suite(.worlds) @GLibActor
struct StalledBusTests {
  private static let turns = 2
  /// Deltas of one answer: their events have 13 MB, more than the kernel's buffers hold.
  private static let pieces = 160_000
  private static let text = String(repeating: "x", count: 24 * pieces)

  /// The service stops reading while it cannot send: its memory stays small, and no text is lost.
  @Test(arguments: World.Plan.Transport.allCases)
  func aStalledBusStallsTheBackend(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let witness = try await MemoryWitness(world)
    let service = try #require(world.service.process).id
    let bus = try #require(world.bus.id)
    let sandbox = try #require(world.sandbox.id)
    defer { for process in [bus, sandbox] { kill(process, SIGCONT) } }
    try await world.sandbox.play(
      #"[{"endpoint":"responses","flood":{"of":"text","size":24,"count":\#(Self.pieces)},"times":\#(Self.turns)}]"#)

    // No answer comes before the bus stops.
    kill(sandbox, SIGSTOP)
    var turns: [Turn] = []
    for _ in 0..<Self.turns { turns.append(try await caller.stream("go on")) }
    try await eventually("connections for all turns") {
      try Self.connections(of: service).count { $0.remotePort == world.sandbox.port } >= Self.turns
    }
    kill(bus, SIGSTOP)
    kill(sandbox, SIGCONT)
    // The service has stopped reading: the backend's data stays in its sockets. Until the backend has begun, both are
    // idle too.
    try await eventually("a backend that cannot send") {
      try await Self.untilIdle([service, sandbox])
      return try Self.connections(of: sandbox)
        .count { $0.localPort == world.sandbox.port && $0.unsent > 0 } == Self.turns
    }
    kill(bus, SIGCONT)

    for turn in turns {
      #expect(try await turn.end().answer.text == Self.text)
      #expect(try turn.deltas.map(\.text).joined() == Self.text)
    }
    try await world.sandbox.play("[]")
    try await witness.expectHealthyService(growth: 40 << 20)
  }

  /// Waits until the processes have used no processor time for a while.
  private static func untilIdle(_ processes: [pid_t]) async throws {
    var last: [Int] = []
    var unchanged = 0
    try await eventually("idle processes") {
      let now = try processes.map(processorTicks)
      unchanged = now == last ? unchanged + 1 : 0
      last = now
      return unchanged == 50
    }
  }

  private static func processorTicks(of process: pid_t) throws -> Int {
    let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The fields follow the name, which may hold any characters.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    return try (11...12).reduce(0) { $0 + (try #require(Int(fields[$1]))) }
  }

  private struct Connection {
    let localPort, remotePort: Int
    /// Bytes that the other end has not read.
    let unsent: Int
  }

  /// The established connections in a process's network namespace.
  private static func connections(of process: pid_t) throws -> [Connection] {
    // The kernel returns one page for each read.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/net/tcp"))
    let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    return table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: " ")
      let numbers = fields[1...4].map { field in
        field.split(separator: ":").compactMap { Int($0, radix: 16) }
      }
      guard numbers[2] == [1] else { return nil }
      return Connection(localPort: numbers[0][1], remotePort: numbers[1][1], unsent: numbers[3][0])
    }
  }
}
