import Foundation
import GLibBridge
import Testing

/// Which methods `chappie threads` calls, of a service that has no others.
@Suite(.worlds) @GLibActor
struct ThreadCallTests {
  private static let thread = "63ae42d3-5ad5-4cb8-a94e-d7f4dab55200"

  @Test func aWholeIDIsNotLookedFor() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let service = try await ThreadsStandIn(try await world.caller())
      #expect(try await world.chappie("threads", "archive", Self.thread).text == "Archived 63ae42d3.\n")
      #expect(try await world.chappie("threads", "delete", "--yes", Self.thread).text == "Deleted 63ae42d3.\n")
      #expect(service.calls == ["Archive \(Self.thread)", "Delete \(Self.thread)"])
      let unknown = try await world.chappie("threads", "archive", String(repeating: "a", count: 36))
      #expect(unknown.text == "chappie: There is no such thread: see chappie threads, also with --archived.\n")
      #expect(unknown.status == 1)
    }
  }

  @Test func allAreDeletedAtOnce() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let service = try await ThreadsStandIn(try await world.caller())
      #expect(try await world.chappie("threads", "delete", "--all").status == 2)
      let both = try await world.chappie("threads", "delete", "--all", "--yes", Self.thread)
      #expect(both.text == "chappie: --all and a thread exclude each other.\n")
      #expect(both.status == 2)
      let question = "Delete every thread of this account, and the key that they are sealed with, for good? [y/N] "
      let refused = try await world.chappie("threads", "delete", "--all", at: [.sees(question), .types("\n")])
      #expect(refused.text.contains("Nothing was deleted."))
      #expect(refused.status == 1)
      #expect(service.calls == [])
      let agreed = try await world.chappie("threads", "delete", "--all", at: [.sees(question), .types("y\n")])
      #expect(agreed.status == 0, "\(agreed.text)")
      let unasked = try await world.chappie("threads", "delete", "--all", "--yes")
      #expect(unasked.text == "Deleted every thread, and the key that they were sealed with.\n")
      #expect(service.calls == ["DeleteAll 0", "DeleteAll 0"])
    }
  }

  @Test func whatCannotBeReadIsTold() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let service = try await ThreadsStandIn(try await world.caller())
      service.usage = ["thread_count": UInt32(3), "unreadable_count": UInt32(2)]
      #expect(
        try await world.chappie("threads", "usage").text == """
          0 B, without a limit
          3 threads, 0 archived
          2 cannot be read on this device: chappie threads delete --all removes them too

          """)
      #expect(try await world.chappie("threads", "usage", "--json").text.hasSuffix(#","unreadable_count":2}"# + "\n"))
      service.usage = ["thread_count": UInt32(3), "unreadable_count": UInt32(0)]
      #expect(try await world.chappie("threads", "usage").text == "0 B, without a limit\n3 threads, 0 archived\n")
    }
  }
}
