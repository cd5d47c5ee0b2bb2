// SPDX-License-Identifier: Apache-2.0

/// Notifications on a desktop that has `org.chappie.Window`.
@Suite(.worlds) @GLibActor
struct DesktopWindowTests {
  private static let codeActions = ["default", "Open page", "open-page", "Open page"]

  private func begin(
    _ manner: DesktopWindow.Manner = .answers, _ serverManner: NotificationServer.Manner = .answers
  ) async throws -> (World, DesktopWindow, NotificationServer, Caller) {
    let world = try await World.begin(.attended)
    let window = try await DesktopWindow(world, manner)
    let server = try await NotificationServer(world, serverManner)
    return (world, window, server, try await world.caller())
  }

  // MARK: The sign-in

  @Test func aClickOpensTheSignInOfTheWindow() async throws {
    let (world, window, server, caller) = try await begin()
    try await caller.spend(world)
    let need = try await server.notification(1)
    for (number, action) in ["default", "sign-in"].enumerated() {
      try await server.click(action, need.id, token: "token-\(number)")
      let opened = try await window.action(number + 1)
      #expect(opened == .init(name: "sign-in", parameters: [], activationToken: "token-\(number)"))
    }
    try await caller.catchUp()
    // The window starts the sign-in, and shows the code.
    #expect(try await world.sandbox.state().requests["usercode"] == 1)
    #expect(server.received.count == 1)
    try await caller.signInQuietly(world)
    try await server.waitUntilNothingIsShown()
    #expect(server.received.count == 1)
  }

  @Test func theNotificationSignsInIfTheWindowFails() async throws {
    let (world, window, server, caller) = try await begin(.refuses)
    try await caller.spend(world)
    try await server.click("sign-in", try await server.notification(1).id)
    #expect(try await server.notification(2).body.contains("Code: "))
    // A button that does nothing is not offered.
    #expect(try await server.notification(2).actions == Self.codeActions)
    #expect(window.actions.count == 1)
  }

  /// The window shows only the default account, and copies any code.
  @Test func theNotificationSignsInToOtherAccounts() async throws {
    let (world, window, server, caller) = try await begin()
    let session = try await caller.open("Session", ["keychain_account": "work"])
    try await caller.spend(world, at: session)
    try await server.click("sign-in", try await server.notification(1).id)
    let waiting = try await server.notification(2)
    #expect(waiting.body.contains("account “work”"))
    #expect(window.actions.isEmpty)
    let code = try #require(
      try await caller.property("Session.DeviceCode", at: session, as: VariantDictionary.self).text("user_code"))
    #expect(waiting.actions == Self.codeActions + ["copy-code", "Copy code"])
    try await server.click("copy-code", waiting.id, token: "token-2")
    #expect(try await window.action() == .init(name: "copy-code", parameters: [code], activationToken: "token-2"))
    try await caller.catchUp()
    #expect(server.shown.keys.contains(waiting.id))
    #expect(server.received.count == 2)
  }

  // MARK: The code

  @Test(arguments: [NotificationServer.Manner.answers, .closesClickedNotifications])
  func theButtonGoesIfTheWindowFails(_ manner: NotificationServer.Manner) async throws {
    let (world, window, server, caller) = try await begin(.refuses, manner)
    let code = try await caller.startSignIn()
    let waiting = try await server.notification(1)
    try await server.click("copy-code", waiting.id)
    _ = try await window.action()
    try await eventually("a notification without the button") { server.received.last?.actions == Self.codeActions }
    #expect(server.shown.count == 1)
    #expect(server.received.last?.body.contains(code) == true)
    try await world.sandbox.decide("approve", code)
    try await eventually("the end of the sign-in") { server.received.last?.summary == "Signed in to ChatGPT" }
  }
}

/// The desktop's window of a test's own: the bus can start it, and it records what other programs ask of it.
@GLibActor
final class DesktopWindow {
  enum Manner {
    case answers
    case refuses
  }

  struct Action: Equatable {
    let name: String
    let parameters: [String]
    let activationToken: String?
  }

  private static let name = "org.chappie.Window"

  private let connection: BusConnection
  private let manner: Manner
  private var object: BusObject?
  private(set) var actions: [Action] = []

  init(_ world: World, _ manner: Manner = .answers) async throws {
    self.manner = manner
    connection = try await BusConnection.open(address: world.directories.busAddress)
    let implementation = try BusImplementation.played(
      "org.freedesktop.Application",
      [
        "ActivateAction s av a{sv}": { [weak self] call in
          try self?.perform(call)
          return .tuple()
        }
      ])
    object = try BusObject.played(connection, .named(Self.name), implementation)
    guard try await connection.requestName(Self.name) == .owner else { throw UnmetCondition("the name of the window") }
    try "[D-BUS Service]\nName=\(Self.name)\nExec=/bin/false\n".write(
      to: world.directories.activation.appending(path: "\(Self.name).service"), atomically: true, encoding: .utf8)
    try await connection.call(DBus.name, DBus.path, DBus.name, "ReloadConfig")
  }

  /// The latest action, once there are `count`.
  func action(_ count: Int = 1) async throws -> Action {
    try await eventually("action \(count) of the window") { actions.count >= count }
    return actions[count - 1]
  }

  private func perform(_ call: BusCall) throws {
    let context: VariantDictionary = try call.argument(2)
    actions.append(
      Action(
        name: try call.argument(0),
        parameters: try call.arguments.children[1].children.map { try String(variant: $0.unboxed) },
        activationToken: context.text("activation-token")))
    if manner == .refuses { throw BusError(name: "org.freedesktop.DBus.Error.Failed", message: "no display") }
  }
}
