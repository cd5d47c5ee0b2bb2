// SPDX-License-Identifier: Apache-2.0

/// A new caller is served under any load of the others.
@Suite(.worlds) @GLibActor
struct NewcomerTests {
  @Test func aFloodOfCallsDelaysNoOtherCaller() async throws {
    let (world, caller) = try await World.signedIn()
    try await caller.call(
      "Client.SetHarness", ["instructions": String(repeating: "x", count: 100_000)] as VariantDictionary)
    var attackers: [Caller] = []
    for _ in 0..<4 { attackers.append(try await world.caller()) }
    var refusals = 0
    var served = 0
    var isOver = false
    let floods = attackers.map { attacker in
      Task { @GLibActor in
        while !isOver {
          // The caller sends all of them before it reads the first answer.
          let calls = (0..<2_000).map { _ in
            Task { @GLibActor in
              do {
                try await attacker.connection.call(
                  "org.chappie", .chappie, "org.freedesktop.DBus.Properties", "GetAll",
                  .tuple("org.chappie.Client"), timeout: .seconds(120))
                served += 1
                return false
              } catch {
                return (error as? GLibError)?.busName == "org.chappie.Error.LimitExceeded"
              }
            }
          }
          for call in calls where await call.value { refusals += 1 }
        }
      }
    }
    // Each is a new program, and waits for few of the 8,000 calls. gdbus waits 25 seconds, not the bus.
    for _ in 0..<5 {
      let before = served
      let innocent = try await world.run(
        "gdbus", "call", "--session", "--dest", "org.chappie", "--object-path", "/org/chappie", "--method",
        "org.freedesktop.DBus.Properties.Get", "org.chappie.Session", "State")
      #expect(innocent.text.contains("signed-in"))
      #expect(served - before < 1_000)
    }
    isOver = true
    for flood in floods { await flood.value }
    #expect(refusals > 0)
    #expect(try await caller.state() == "signed-in")
  }

  /// Two programs hold all the turns that they may have, each over a connection of its own to the backend.
  @Test func turnsHeldByTwoProgramsLeaveRoomForOthers() async throws {
    let (world, first) = try await World.signedIn(.http)
    let second = try await world.otherProgram()
    try await world.sandbox.stall()
    for caller in [first, second] {
      for _ in 0..<64 {
        do {
          _ = try await caller.stream("hi")
        } catch let error as GLibError {
          #expect(ErrorReply(error).name == "LimitExceeded")
          break
        }
      }
    }
    try await eventually("the turns") { try await world.sandbox.state().openStreams >= 80 }
    try await world.sandbox.play("[]")
    let third = try await world.otherProgram()
    #expect(try await third.send("hi").contains("hi"))
    #expect(try await third.requestUsage().plan != nil)
  }

  /// The soft and the hard limit of a process.
  private func descriptorLimits(_ process: ChildProcess) throws -> [Int] {
    let limits = try String(contentsOfFile: "/proc/\(process.id)/limits", encoding: .utf8)
    let files = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
    let numbers = files.split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count == 2)
    return numbers
  }

  @Test func theServiceRaisesItsDescriptorLimit() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let command = ["-c", "ulimit -Sn 256; exec \"$0\" \"$@\"", Binaries.chappied] + world.sandbox.addresses
    let process = try ChildProcess("chappied", "sh", command, in: world.directories)
    world.adopt(process)
    let bus = try await BusConnection.open(address: world.directories.busAddress)
    try await eventually("the service") { try await bus.owner(of: "org.chappie") != nil }
    let numbers = try descriptorLimits(process)
    #expect(numbers[0] == min(8192, numbers[1]))
  }

  /// A caller that came when no descriptor was free is inspected again at its next call.
  @Test func aFailedInspectionIsRepeated() async throws {
    let (world, early) = try await World.signedIn()
    let process = try #require(world.service.process)
    let numbers = try descriptorLimits(process)
    _ = try await world.run("prlimit", "--pid", "\(process.id)", "--nofile=3:\(numbers[1])")
    let late = try await world.otherProgram()
    try await expectRefusal("AccessDenied", saying: "for the moment") { try await late.state() }
    #expect(try await early.state() == "signed-in")
    _ = try await world.run("prlimit", "--pid", "\(process.id)", "--nofile=\(numbers[0]):\(numbers[1])")
    try await eventually("another check of the caller") { (try? await late.state()) == "signed-in" }
  }
}
