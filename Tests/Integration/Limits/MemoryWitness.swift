import Foundation
import GLibBridge
import Testing

/// Somebody who uses the service while others attack it, and sees to it that it stays the same process, and small.
@GLibActor
struct MemoryWitness {
  /// What an attack may make of the service's memory, in bytes.
  private static let limit = 256 << 20
  /// What may be left of it afterwards: the heap of a test build is not as tidy as could be.
  private static let rest = 48 << 20

  private let world: World
  private let caller: Caller
  private let process: pid_t
  private let before: Int

  /// - Parameter world: somebody is signed in there.
  init(_ world: World) async throws {
    self.world = world
    caller = try await world.caller()
    process = try #require(world.service.process).id
    _ = try await caller.send("before")
    before = try Self.resident(process).now
  }

  /// Reads a property and asks something.
  func isServed(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let version: UInt32 = try await caller.property("Manager.Version")
    #expect(version == 1, sourceLocation: sourceLocation)
    #expect(try await caller.send("still there?").contains("still there?"), sourceLocation: sourceLocation)
  }

  /// Looks at the service after an attack.
  func sawItHold(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await isServed(sourceLocation: sourceLocation)
    #expect(world.service.process?.end == nil, sourceLocation: sourceLocation)
    let peak = try Self.resident(process).peak
    #expect(peak < Self.limit, "it was \(peak >> 20) MiB", sourceLocation: sourceLocation)
    let isSmall = try await holds { try Self.resident(process).now < before + Self.rest }
    let now = try Self.resident(process).now
    #expect(
      isSmall, "it went from \(before >> 20) to \(peak >> 20), and is \(now >> 20) MiB", sourceLocation: sourceLocation)
  }

  /// What a process has in memory, in bytes: now, and at the most so far.
  private static func resident(_ process: pid_t) throws -> (now: Int, peak: Int) {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    func bytes(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      return (line?.split { $0 == " " || $0 == "\t" }.compactMap { Int($0) }.first ?? 0) << 10
    }
    return (bytes("VmRSS"), bytes("VmHWM"))
  }
}
