// SPDX-License-Identifier: Apache-2.0

/// gnome-keyring in the world, and its Secret Service as any program sees it.
@GLibActor
final class Keyring {
  struct Item {
    let path: ObjectPath
    let attributes: [String: String]
    let label: String
    let secret: [UInt8]
  }

  private static let password = "password"
  private static let name = "org.freedesktop.secrets"
  private static let path = ObjectPath.root.appending("org").appending("freedesktop").appending("secrets")
  private static let login = path.appending("collection").appending("login")

  private let directories: WorldDirectories
  private var process: ChildProcess?
  /// The daemon that a command has started in the background.
  private var replacement: UInt32?

  init(_ directories: WorldDirectories) {
    self.directories = directories
  }

  /// Starts the daemon and unlocks its login collection, as a login with a password does, or leaves it locked, as a
  /// login with a fingerprint does.
  func start(isUnlocked: Bool = true) async throws {
    let arguments = (isUnlocked ? ["--unlock"] : []) + ["--foreground", "--components=secrets"]
    process = try ChildProcess(
      "keyring", "gnome-keyring-daemon", arguments, in: directories, input: isUnlocked ? Self.password : "")
    let bus = try await BusConnection.open(address: directories.busAddress)
    try await eventually("the keyring") { try await bus.owner(of: Self.name) != nil }
  }

  /// Has a command of a shell replace the daemon. It reads the password of the login collection.
  func replace(with command: String) async throws {
    let bus = try await BusConnection.open(address: directories.busAddress)
    // The shell counts as running until the daemon that it leaves behind has ended.
    _ = try ChildProcess(
      "keyring", "bash", ["-c", command.trimmingCharacters(in: .whitespacesAndNewlines)], in: directories,
      input: Self.password + "\n")
    _ = try await process?.waitForEnd()
    process = nil
    try await eventually("the other keyring") { try await bus.owner(of: Self.name) != nil }
    replacement = try await bus.call(
      "org.freedesktop.DBus", .named("org.freedesktop.DBus"), "org.freedesktop.DBus", "GetConnectionUnixProcessID",
      .tuple(Self.name)
    ).member(0, "pid", as: UInt32.self)
  }

  /// Kills the daemon during any operation.
  func kill() async {
    process?.send(SIGKILL)
    await end()
  }

  /// Stops the daemon: it owns its name and does not answer.
  func freeze() { process?.send(SIGSTOP) }
  func thaw() { process?.send(SIGCONT) }

  func end() async {
    thaw()
    await process?.terminate()
    process = nil
    if let replacement { Foundation.kill(pid_t(replacement), SIGTERM) }
    replacement = nil
  }

  // MARK: The Secret Service

  func lock() async throws {
    let bus = try await BusConnection.open(address: directories.busAddress)
    try await bus.call(Self.name, Self.path, "org.freedesktop.Secret.Service", "Lock", .tuple([Self.login]))
  }

  /// Unlocks without a prompt, as a login does.
  func unlock() async throws {
    let bus = try await BusConnection.open(address: directories.busAddress)
    let secret = try Variant(
      parsing: "('\(Self.login)', ('\(try await session(bus))', [], \(Array(Self.password.utf8)), 'text/plain'))",
      type: "(o(oayays))")
    try await bus.call(
      Self.name, Self.path, "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface", "UnlockWithMasterPassword",
      secret)
  }

  /// The credentials in it, by account, without the copies in its `session` collection.
  func credentials() async throws -> [String: Item] {
    let originals = try await items().filter { $0.attributes["copy"] == nil }
    return Dictionary(originals.map { ($0.attributes["account"] ?? "", $0) }) { $1 }
  }

  /// All items of a schema: items of different apps and access groups can have the same account.
  func items(_ schema: String = "org.chappie.Credential") async throws -> [Item] {
    let bus = try await BusConnection.open(address: directories.busAddress)
    let session = try await session(bus)
    let search = try Variant(parsing: "({'xdg:schema': '\(schema)'},)", type: "(a{ss})")
    let found = try await bus.call(Self.name, Self.path, "org.freedesktop.Secret.Service", "SearchItems", search)
    var items: [Item] = []
    for path in try found.member(0, "unlocked", as: [ObjectPath].self) {
      items.append(try await item(at: path, session, bus))
    }
    return items
  }

  /// Stores items with these attributes, as another program does. The keyring may crash when programs come and leave in
  /// quick succession, so all are stored by one.
  func store(_ items: [[String: String]], in collection: String) async throws {
    let bus = try await BusConnection.open(address: directories.busAddress)
    let session = try await session(bus)
    for attributes in items {
      let pairs = attributes.map { "'\($0.key)': '\($0.value)'" }.joined(separator: ", ")
      let item = try Variant(
        parsing: """
          ({'org.freedesktop.Secret.Item.Label': <'another'>, 'org.freedesktop.Secret.Item.Attributes': <{\(pairs)}>},
          ('\(session)', [], [0x78], 'text/plain'), true)
          """, type: "(a{sv}(oayays)b)")
      try await bus.call(
        Self.name, Self.path.appending("collection").appending(collection), "org.freedesktop.Secret.Collection",
        "CreateItem", item)
    }
  }

  /// Deletes a credential without its copy.
  func delete(_ account: String) async throws {
    let bus = try await BusConnection.open(address: directories.busAddress)
    try await bus.call(Self.name, try await credential(of: account).path, "org.freedesktop.Secret.Item", "Delete")
  }

  private func credential(of account: String) async throws -> Item {
    guard let item = try await credentials()[account] else { throw UnmetCondition("a credential of \(account)") }
    return item
  }

  /// Changes the stored line.
  func changeSecret(of account: String, _ change: (String) -> String) async throws {
    let item = try await credential(of: account)
    let bus = try await BusConnection.open(address: directories.busAddress)
    let line = Array(change(String(decoding: item.secret, as: UTF8.self)).utf8)
    let secret = try Variant(
      parsing: "(('\(try await session(bus))', [], \(line), 'text/plain'),)", type: "((oayays))")
    try await bus.call(Self.name, item.path, "org.freedesktop.Secret.Item", "SetSecret", secret)
  }

  private func item(at path: ObjectPath, _ session: ObjectPath, _ bus: BusConnection) async throws -> Item {
    let interface = "org.freedesktop.Secret.Item"
    let secret = try await bus.call(Self.name, path, interface, "GetSecret", .tuple(session))
    let attributes = try await bus.property(Self.name, path, interface, "Attributes")
    let label = try await bus.property(Self.name, path, interface, "Label")
    let pairs = try attributes.children.map { entry in
      (try String(variant: entry.children[0]), try String(variant: entry.children[1]))
    }
    return Item(
      path: path, attributes: Dictionary(uniqueKeysWithValues: pairs), label: try String(variant: label),
      secret: secret.children[0].children[2].children.compactMap(\.byte))
  }

  /// A session without encryption: these secrets are invented, and the bus is private.
  private func session(_ bus: BusConnection) async throws -> ObjectPath {
    try await bus.call(
      Self.name, Self.path, "org.freedesktop.Secret.Service", "OpenSession", .tuple("plain", "".variant)
    ).member(1, "session")
  }
}

extension Variant {
  /// The value of a `y`, which is printed as `0x41`.
  fileprivate var byte: UInt8? { UInt8(description.dropFirst(2), radix: 16) }
}
