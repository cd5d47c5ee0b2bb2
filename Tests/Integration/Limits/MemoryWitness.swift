// SPDX-License-Identifier: Apache-2.0

/// A caller that uses the service during an attack, and checks that it stays the same process and keeps its memory
/// small.
@GLibActor
struct MemoryWitness {
  /// The memory that an attack may use in the service, in bytes.
  private static let limit = 256 << 20
  /// The memory that may stay in use afterwards: a test build's heap is fragmented.
  private static let rest = 48 << 20

  private let world: World
  private let caller: Caller
  private let process: pid_t
  private let before: Int

  /// - Parameter world: its default account is signed in.
  init(_ world: World) async throws {
    self.world = world
    caller = try await world.caller()
    process = try #require(world.service.process).id
    _ = try await caller.send("before")
    before = try Self.resident(process).now
  }

  /// Reads a property and asks a question.
  func isServed(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let version: UInt32 = try await caller.property("Manager.Version")
    #expect(version == 1, sourceLocation: sourceLocation)
    #expect(try await caller.send("still there?").contains("still there?"), sourceLocation: sourceLocation)
  }

  /// Checks the service after an attack.
  ///
  /// - Parameter growth: the allowed growth of the service's memory during the attack, in bytes.
  func expectHealthyService(growth: Int = limit, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await isServed(sourceLocation: sourceLocation)
    #expect(world.service.process?.end == nil, sourceLocation: sourceLocation)
    let peak = try Self.resident(process).peak
    #expect(
      peak < min(Self.limit, before + growth), "it went from \(before >> 20) to \(peak >> 20) MiB",
      sourceLocation: sourceLocation)
    let isSmall = try await holds { try Self.resident(process).now < before + Self.rest }
    let now = try Self.resident(process).now
    #expect(
      isSmall, "it went from \(before >> 20) to \(peak >> 20), and is \(now >> 20) MiB", sourceLocation: sourceLocation)
  }

  /// The resident memory of a process in bytes: now, and its peak.
  private static func resident(_ process: pid_t) throws -> (now: Int, peak: Int) {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    func bytes(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      return (line?.split { $0 == " " || $0 == "\t" }.compactMap { Int($0) }.first ?? 0) << 10
    }
    return (bytes("VmRSS"), bytes("VmHWM"))
  }
}
