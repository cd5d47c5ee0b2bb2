// SPDX-License-Identifier: Apache-2.0

/// A reply counts only from the program that was called, and a signal only from its sender. The bus of these tests
/// delivers replies that nobody asked for, as the session bus of dbus-daemon does.
@Suite(.worlds) @GLibActor
struct ForgedReplyTests {
  private struct Outcome: Decodable {
    let rounds: Int
    let flooded: Bool
    let obtained: [String]
  }

  /// It answers the service's questions about it with the bus daemon's credentials, and the calls to the keyring.
  @Test(.sandboxes)
  func aRefusedCallerThatForgesRepliesObtainsNothing() async throws {
    let (world, caller) = try await World.signedIn()
    let forger = try ChildProcess(
      "forger", "/usr/bin/unshare",
      [
        "--user", "--map-current-user", "/usr/bin/python3", SourceTree.path(of: "Tests/abuse/forger.py"),
        world.directories.busAddress, "8",
      ], in: world.directories)
    world.adopt(forger)
    while forger.end == nil {
      #expect(try await caller.send("hi").contains("hi"))
      // New programs are inspected meanwhile.
      #expect(try await world.otherProgram().state() == "signed-in")
    }
    let outcome = try JSONDecoder().decode(Outcome.self, from: Data(forger.output.utf8))
    #expect(outcome.flooded)
    #expect(outcome.rounds > 0)
    #expect(outcome.obtained == [])
  }

  /// Flatpak's proxy disconnects a program whose serials do not increase. A call that waits for the owner of a name is
  /// sent after younger ones.
  @Test(.sandboxes)
  func aCallThatWaitedPassesAFilteringProxy() async throws {
    let world = try await World.begin()
    let caller = try await Caller(try await world.proxy(talkingTo: "org.chappie", "org.freedesktop.secrets"))
    async let first = caller.state()
    async let second = caller.state()
    #expect(try await [first, second] == ["signed-out", "signed-out"])
    await #expect(throws: GLibError.self) {
      try await caller.connection.call("org.example.Hidden", .root, "org.example.Hidden", "Do")
    }
    #expect(!caller.connection.isClosed)
  }

  /// The bus, the name's owner and another program.
  private struct Peers {
    let ours, owner, other: BusConnection
    let name = "org.example.Owner"

    @GLibActor
    init(_ world: World) async throws {
      let address = world.directories.busAddress
      ours = try await BusConnection.open(address: address)
      owner = try await BusConnection.open(address: address)
      other = try await BusConnection.open(address: address)
      #expect(try await owner.requestName(name) == .owner)
    }
  }

  @Test func aSignalCountsOnlyFromTheOwnerOfTheName() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let peers = try await Peers(world)
    var received: [String] = []
    let subscription = peers.ours.subscribe(.init(sender: peers.name, interface: peers.name)) {
      received.append((try? $0.arguments.member(0, "text")) ?? "")
    }
    try await eventually("the owner's signal") {
      for (peer, text) in [(peers.other, "forged"), (peers.owner, "true")] {
        try peer.emit(.root, peers.name, "Said", .tuple(text), to: peers.ours.uniqueName)
        try await peer.flush()
      }
      return received.contains("true")
    }
    #expect(!received.contains("forged"))
    withExtendedLifetime(subscription) {}
  }

  @Test func onlyTheBusTellsWhoOwnsAName() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let peers = try await Peers(world)
    var owners: [String?] = []
    let watch = peers.ours.watchName(peers.name) { owners.append($0) }
    try await eventually("the owner") { !owners.isEmpty }
    try peers.other.emit(
      .named("org.freedesktop.DBus"), "org.freedesktop.DBus", "NameOwnerChanged",
      .tuple(peers.name, peers.owner.uniqueName, peers.other.uniqueName), to: peers.ours.uniqueName)
    try await peers.other.flush()
    try await peers.owner.releaseName(peers.name)
    try await eventually("the end of the name") { owners.last == .some(nil) }
    #expect(owners == [peers.owner.uniqueName, nil])
    withExtendedLifetime(watch) {}
  }
}
