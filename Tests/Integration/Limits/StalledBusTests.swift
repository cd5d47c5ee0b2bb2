import Foundation
import GLibBridge
import Testing

/// A bus that takes nothing while the backend sends as fast as it can.
@Suite(.worlds) @GLibActor
struct StalledBusTests {
  private static let turns = 2
  /// Pieces of one answer: with what stands around them they are 13 MB, which no buffers of the kernel take.
  private static let pieces = 160_000
  private static let text = String(repeating: "x", count: 24 * pieces)

  /// The service reads on when it can send on: it stays small meanwhile, and nothing of the answers is lost.
  @Test(arguments: World.Plan.Transport.allCases)
  func aStalledBusStallsTheBackend(over transport: World.Plan.Transport) async throws {
    try await World.with(transport) { world in
      let caller = try await world.signedInCaller()
      let witness = try await MemoryWitness(world)
      let service = try #require(world.service.process).id
      let bus = try #require(world.bus.id)
      let sandbox = try #require(world.sandbox.id)
      defer { for process in [bus, sandbox] { kill(process, SIGCONT) } }
      try await world.sandbox.play(
        #"[{"endpoint":"responses","flood":{"of":"text","size":24,"count":\#(Self.pieces)},"times":\#(Self.turns)}]"#)

      // No answer comes before the bus stands still.
      kill(sandbox, SIGSTOP)
      var turns: [Turn] = []
      for _ in 0..<Self.turns { turns.append(try await caller.stream("go on")) }
      try await eventually("connections for all turns") {
        try Self.connections(of: service).count { $0.remotePort == world.sandbox.port } >= Self.turns
      }
      kill(bus, SIGSTOP)
      kill(sandbox, SIGCONT)
      try await Self.untilIdle([service, sandbox])
      // The service has stopped to read: what the backend has sent stays where it is.
      #expect(
        try Self.connections(of: sandbox).count { $0.localPort == world.sandbox.port && $0.unsent > 0 } == Self.turns)
      kill(bus, SIGCONT)

      for turn in turns {
        #expect(try await turn.end().answer.text == Self.text)
        #expect(try turn.deltas.map(\.text).joined() == Self.text)
      }
      try await world.sandbox.play("[]")
      try await witness.expectHealthyService(growth: 40 << 20)
    }
  }

  /// Waits until processes have done nothing for a while.
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
    // Behind the name, which may hold anything.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    return try (11...12).reduce(0) { $0 + (try #require(Int(fields[$1]))) }
  }

  private struct Connection {
    let localPort, remotePort: Int
    /// Bytes that the other end has not taken.
    let unsent: Int
  }

  /// The established connections in the network of a process.
  private static func connections(of process: pid_t) throws -> [Connection] {
    // The kernel hands over a page at a time.
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
