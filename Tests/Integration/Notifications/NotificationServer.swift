// SPDX-License-Identifier: Apache-2.0

/// A notification server of a test's own: it records its calls, and acts as a person would.
@GLibActor
final class NotificationServer {
  /// A call of `Notify`.
  struct Notification {
    let id: UInt32
    let replaced: UInt32
    let summary: String
    let body: String
    let actions: [String]
    let hints: VariantDictionary
    let timeout: Int32
    let program: String
    let icon: String
  }

  /// A server's treatment of calls.
  enum Manner {
    case answers
    /// It closes a notification that is clicked, and ignores its hints.
    case closesClickedNotifications
    /// It receives calls and never answers.
    case silent
    /// It reports a click on this button as soon as it has shown a notification, before or after its reply.
    case clicks(String, beforeReply: Bool)
  }

  private static let name = "org.freedesktop.Notifications"
  private static let path = ObjectPath.named(name)

  private let connection: BusConnection
  private let manner: Manner
  private var object: BusObject?
  private var lastID: UInt32
  private(set) var calls: [String] = []
  private(set) var received: [Notification] = []
  /// The notifications on the screen.
  private(set) var shown: [UInt32: Notification] = [:]

  /// - Parameter lastID: the last id that it gave, since each server counts on its own.
  init(
    _ world: World, _ manner: Manner = .answers, capabilities: [String] = ["actions", "body", "body-markup"],
    lastID: UInt32 = 0
  ) async throws {
    connection = try await BusConnection.open(address: world.directories.busAddress)
    self.manner = manner
    self.lastID = lastID
    let implementation = try BusImplementation.played(
      Self.name,
      [
        "GetCapabilities -> as": { [weak self] _ in
          await self?.note("GetCapabilities")
          return .tuple(capabilities)
        },
        "GetServerInformation -> s s s s": { _ in .tuple("Fake", "tests", "1", "1.2") },
        "Notify s u s s s as a{sv} i -> u": { [weak self] call in
          await self?.note("Notify")
          return .tuple(try self?.notify(call) ?? 0)
        },
        "CloseNotification u": { [weak self] call in
          await self?.note("CloseNotification")
          try self?.close(try call.argument(0), reason: 3)
          return .tuple()
        },
      ])
    object = try BusObject.played(connection, Self.path, implementation)
    guard try await connection.requestName(Self.name) == .owner else { throw UnmetCondition("the name of the server") }
  }

  /// Leaves the bus with all its notifications.
  func quit() async throws {
    try await connection.releaseName(Self.name)
    object?.unexport()
    shown = [:]
  }

  // MARK: Recorded calls

  /// The latest call of `Notify`, once there are `count`.
  func notification(_ count: Int) async throws -> Notification {
    try await eventually("notification \(count)") { received.count >= count }
    return received[count - 1]
  }

  func waitUntilNothingIsShown() async throws {
    try await eventually("the end of all notifications") { shown.isEmpty }
  }

  /// Kills the service once it has noted what is shown.
  func killService(_ world: World) async throws {
    let note = world.directories.runtime.appending(path: "chappie/notifications")
    try await eventually("the service's note of what is shown") {
      let words = (try? String(contentsOf: note, encoding: .utf8))?.split(separator: " ") ?? []
      return Set(words.dropFirst(2).compactMap { UInt32($0) }) == Set(shown.keys)
    }
    try await world.service.crash()
  }

  private func note(_ call: String) async {
    calls.append(call)
    if case .silent = manner { await Wait().value() }
  }

  private func notify(_ call: BusCall) throws -> UInt32 {
    let replaced: UInt32 = try call.argument(1)
    if shown[replaced] == nil { lastID += 1 }
    let notification = Notification(
      id: shown[replaced] == nil ? lastID : replaced, replaced: replaced, summary: try call.argument(3),
      body: try call.argument(4), actions: try call.argument(5), hints: try call.argument(6),
      timeout: try call.argument(7), program: try call.argument(0), icon: try call.argument(2))
    received.append(notification)
    shown[notification.id] = notification
    if case .clicks(let action, let beforeReply) = manner {
      let click = { [self] in try emit("ActionInvoked", .tuple(notification.id, action)) }
      if beforeReply {
        try click()
      } else {
        Task.onGLib {
          await call.replied.value()
          try click()
        }
      }
    }
    return notification.id
  }

  // MARK: A person's actions

  func click(_ action: String, _ id: UInt32, token: String? = nil) async throws {
    try await waitForService()
    if let token { try emit("ActivationToken", .tuple(id, token)) }
    try emit("ActionInvoked", .tuple(id, action))
    if case .closesClickedNotifications = manner { try close(id, reason: 2) }
  }

  func dismiss(_ id: UInt32) async throws {
    try await waitForService()
    try close(id, reason: 2)
    // The service receives the signal before any later message.
    try await waitForService()
  }

  /// A real person acts only after the service knows the notification's id.
  private func waitForService() async throws {
    _ = try await connection.property("org.chappie", .chappie, "org.chappie.Manager", "Version")
  }

  private func close(_ id: UInt32, reason: UInt32) throws {
    guard shown.removeValue(forKey: id) != nil else { return }
    try emit("NotificationClosed", .tuple(id, reason))
  }

  private func emit(_ signal: String, _ arguments: Variant) throws {
    try connection.emit(Self.path, Self.name, signal, arguments)
  }
}

extension World {
  /// A world with a notification server and a program, where each sign-in waits for approval.
  static func notifying(
    _ manner: NotificationServer.Manner = .answers
  ) async throws -> (World, NotificationServer, Caller) {
    let world = try await begin(.attended)
    let server = try await NotificationServer(world, manner)
    world.keep(server)
    return (world, server, try await world.caller())
  }

  /// A world with a notification server, and a program that is signed in.
  static func signedInNotifying(
    _ plan: Plan = Plan(), _ manner: NotificationServer.Manner = .answers,
    capabilities: [String] = ["actions", "body", "body-markup"]
  ) async throws -> (World, NotificationServer, Caller) {
    let world = try await begin(plan)
    let server = try await NotificationServer(world, manner, capabilities: capabilities)
    world.keep(server)
    let caller = try await world.caller()
    try await caller.signIn(notifying: false)
    return (world, server, caller)
  }
}

/// The default browser of a world: it records each page and activation token that it receives.
@GLibActor
struct Browser {
  private let log: URL

  /// - Parameter schemes: the URI schemes that it handles.
  init(_ directories: WorldDirectories, schemes: [String] = ["http"]) throws {
    log = directories.root.appending(path: "browser.log")
    let script = directories.root.appending(path: "browser")
    try "#!/bin/sh\necho \"$1 $XDG_ACTIVATION_TOKEN\" >>'\(log.path)'\n".write(
      to: script, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
    let types = schemes.map { "x-scheme-handler/\($0)" }
    let applications = directories.data.appending(path: "applications")
    try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
    try """
    [Desktop Entry]
    Type=Application
    Name=Browser
    Exec=\(script.path) %u
    MimeType=\(types.joined(separator: ";"));text/html;
    """.write(to: applications.appending(path: "browser.desktop"), atomically: true, encoding: .utf8)
    let defaults = types.map { "\($0)=browser.desktop\n" }.joined()
    try "[Default Applications]\n\(defaults)".write(
      to: directories.configuration.appending(path: "mimeapps.list"), atomically: true, encoding: .utf8)
  }

  /// Each opened page, followed by a space and the token.
  var pages: [String] {
    String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func waitForPage(_ count: Int = 1) async throws -> String {
    try await eventually("page \(count) in the browser") { pages.count >= count }
    return pages[count - 1]
  }
}
