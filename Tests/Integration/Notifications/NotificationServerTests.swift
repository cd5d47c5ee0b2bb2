// SPDX-License-Identifier: Apache-2.0

/// Notification servers that come and go, do not answer, or are missing.
@Suite(.worlds) @GLibActor
struct NotificationServerTests {
  @Test func aLateServerAndARestartedOneReceiveCurrentNotifications() async throws {
    let world = try await World.begin(.attended)
    let caller = try await world.caller()
    let code = try await caller.startSignIn()
    try await caller.catchUp()
    let first = try await NotificationServer(world)
    #expect(try await first.notification(1).body.contains(code))
    try await first.quit()
    let second = try await NotificationServer(world, capabilities: ["body"], lastID: 40)
    let again = try await second.notification(1)
    #expect(again.replaced == 0)
    #expect(again.body.contains(code))
    #expect(again.actions.isEmpty)
    try await world.sandbox.decide("approve", code)
    #expect(try await second.notification(2).id == 41)
  }

  @Test func aSilentServerDelaysNothing() async throws {
    let (world, server, caller) = try await World.notifying(.silent)
    try await world.sandbox.decide("approve", try await caller.startSignIn())
    try await caller.waitFor("signed-in")
    #expect(try await caller.send("hi").contains("hi"))
    // All of it happens within the deadline of the first call.
    #expect(server.calls == ["GetCapabilities"])
    let process = try #require(world.service.process)
    process.send(SIGTERM)
    #expect(try await process.waitForEnd() == .exit(0))
  }

  @Test func theBusActivatesAServer() async throws {
    let world = try await World.begin(.attended)
    let mark = world.directories.root.appending(path: "server-started")
    // The bus waits for the name, whichever process takes it.
    try """
    [D-BUS Service]
    Name=org.freedesktop.Notifications
    Exec=/usr/bin/touch \(mark.path)

    """.write(
      to: world.directories.activation.appending(path: "org.freedesktop.Notifications.service"), atomically: true,
      encoding: .utf8)
    let caller = try await world.caller()
    try await caller.connection.call(DBus.name, DBus.path, DBus.name, "ReloadConfig")
    try await caller.catchUp()
    #expect(!FileManager.default.fileExists(atPath: mark.path))
    let code = try await caller.startSignIn()
    try await eventually("the start of the server") { FileManager.default.fileExists(atPath: mark.path) }
    let server = try await NotificationServer(world)
    #expect(try await server.notification(1).body.contains(code))
    try await world.sandbox.decide("approve", code)
    _ = try await server.notification(2)
    #expect(server.received.count == 2)
  }

  // MARK: The browser

  /// A unit that systemd starts separately has none of our unit's restrictions and does not end with it.
  @Test func thePageIsOpenedOutsideTheServicesUnit() async throws {
    var plan = World.Plan.attended
    plan.environment = ["INVOCATION_ID": "0123456789abcdef0123456789abcdef"]
    let world = try await World.begin(plan)
    let browser = try Browser(world.directories)
    let server = try await NotificationServer(world)
    let caller = try await world.caller()
    _ = try await caller.startSignIn()
    let waiting = try await server.notification(1)
    // There is no systemd at first.
    try await server.click("open-page", waiting.id)
    #expect(try await browser.waitForPage() == "\(world.sandbox.page) ")

    let systemd = try await ServiceManager(world)
    try await server.click("open-page", waiting.id, token: "token-1")
    try await eventually("the unit") { !systemd.units.isEmpty }
    let unit = try #require(systemd.units.first)
    #expect(unit.name.hasPrefix("app-") && unit.name.hasSuffix(".service"))
    #expect(unit.properties["ExecStart"]?.contains("'\(world.sandbox.page)'") == true)
    #expect(unit.properties["Environment"]?.contains("'XDG_ACTIVATION_TOKEN=token-1'") == true)
    #expect(unit.properties["Slice"] == "'app.slice'")
    #expect(browser.pages.count == 1)
  }
}

/// The user's systemd, reduced to the start of units.
@GLibActor
private final class ServiceManager {
  private static let name = "org.freedesktop.systemd1"

  private(set) var units: [(name: String, properties: [String: String])] = []
  private var object: BusObject?

  init(_ world: World) async throws {
    let connection = try await BusConnection.open(address: world.directories.busAddress)
    let implementation = try BusImplementation.played(
      "\(Self.name).Manager",
      [
        "StartTransientUnit s s a(sv) a(sa(sv)) -> o": { [weak self] call in
          try self?.note(call)
          return .tuple(ObjectPath.root.appending("job"))
        }
      ])
    object = try BusObject.played(connection, .named(Self.name), implementation)
    guard try await connection.requestName(Self.name) == .owner else { throw UnmetCondition("the name of systemd") }
  }

  private func note(_ call: BusCall) throws {
    let properties = try call.arguments.children[2].children.map { property in
      (try String(variant: property.children[0]), "\(property.children[1].unboxed)")
    }
    units.append((try call.argument(0), Dictionary(uniqueKeysWithValues: properties)))
  }
}
