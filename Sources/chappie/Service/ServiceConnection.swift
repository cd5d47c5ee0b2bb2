// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The command's connection to the service.
@GLibActor
final class ServiceConnection {
  static let name = "org.chappie"
  static let root = ObjectPath.standing(for: name)

  let connection: BusConnection

  private init(_ connection: BusConnection) {
    self.connection = connection
  }

  /// Connects to the session bus. The first call starts the service. The failure is that there is no session bus.
  static func connect() async -> Result<ServiceConnection, CommandFailure> {
    do {
      return .success(ServiceConnection(try await BusConnection.open(.session)))
    } catch {
      return .failure(
        CommandFailure(
          .serviceMissing, tr("There is no session bus: run this in a desktop session, or under dbus-run-session."),
          name: CommandFailure.noBus))
    }
  }

  /// The slugs of the models that an object can ask.
  ///
  /// - Throws: `GLibError`, `CancellationError`.
  func models(_ client: ObjectPath) async throws -> [String] {
    // Not interactive: this must not make the keyring ask for its password.
    let reply = try await call(
      client, "Client", "ListModels", .tuple([:] as VariantDictionary), timeout: nil, interactive: false)
    return try reply.member(0, "models", as: [VariantDictionary].self).flatMap {
      try [$0.value("slug", as: String.self)].compactMap(\.self) + ($0.value("aliases") ?? [])
    }
  }

  // MARK: Objects

  /// The session object of an account; nil means the default account.
  func session(
    _ account: String?, _ accessibility: ChappieKeychainAccessibility = .whenUnlockedThisDeviceOnly
  ) async throws -> ObjectPath {
    let account = account ?? "default"
    guard account != "default" || accessibility != .whenUnlockedThisDeviceOnly else { return Self.root }
    let configuration: VariantDictionary = [
      "keychain_account": account, "keychain_accessibility": accessibility.rawValue,
    ]
    return try await manager("OpenSession", .tuple(configuration)).member(0, "session")
  }

  /// The objects of the stored accounts other than the default one.
  func otherAccounts() async throws -> [ObjectPath] {
    let reply = try await connection.call(
      Self.name, Self.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    return try (reply.children.first?.children ?? []).map { try ObjectPath(variant: $0.children[0]) }
  }

  /// The shared client of an account. Its conversation outlives this command.
  ///
  /// - Throws: ``CommandFailure`` if the account is not signed in.
  func sharedClient(_ account: String?) async throws -> ObjectPath {
    guard let account, account != "default" else { return Self.root }
    let path = Self.root.appending("account").appending(account)
    do {
      _ = try await connection.property(Self.name, path, "org.chappie.Client", "Version")
      return path
    } catch let error as GLibError where error.isUnknownMethod {
      throw CommandFailure(
        .signInNeeded, tr("Nobody is signed in as “\(account)”: run chappie sign-in --account \(account)."))
    }
  }

  /// Opens a client for this command alone.
  func openClient(_ account: String?, model: String? = nil) async throws -> ObjectPath {
    let configuration: VariantDictionary = ["keychain_account": account, "model": model]
    return try await manager("OpenClient", .tuple(configuration)).member(0, "client")
  }

  // MARK: Calls

  /// Calls a method of an interface of the service.
  ///
  /// - Parameters:
  ///   - interface: the part of the name after `org.chappie.`.
  ///   - timeout: nil waits without limit.
  ///   - interactive: whether the keyring may ask for its password.
  /// - Throws: `GLibError`, `CancellationError`.
  @discardableResult
  func call(
    _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: Variant = .tuple([]),
    timeout: Duration? = .seconds(25), interactive: Bool = StandardInput.isTerminal
  ) async throws -> Variant {
    try await connection.call(
      Self.name, path, "org.chappie.\(interface)", member, arguments, timeout: timeout, interactive: interactive)
  }

  /// Calls a method of `org.chappie.Manager`, as ``call(_:_:_:_:timeout:interactive:)``.
  @discardableResult
  func manager(
    _ member: String, _ arguments: Variant = .tuple([]), timeout: Duration? = .seconds(25)
  ) async throws -> Variant {
    try await call(Self.root, "Manager", member, arguments, timeout: timeout)
  }

  /// Opens a turn on a socket of its own.
  ///
  /// - Parameter arguments: the arguments of `OpenTurn` of the interface.
  /// - Returns: the socket.
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func openTurn(_ path: ObjectPath, _ interface: String, _ arguments: Variant) async throws -> Descriptor {
    do {
      let (_, sockets) = try await connection.callForDescriptors(
        Self.name, path, "org.chappie.\(interface)", "OpenTurn", arguments, interactive: StandardInput.isTerminal)
      guard let socket = sockets.first else {
        throw CommandFailure(.failed, tr("The service opened no turn: try again."))
      }
      return socket
    } catch let error as GLibError where error.isUnknownMethod && error.message.contains("OpenTurn") {
      throw CommandFailure.olderService
    }
  }

  /// - Throws: ``CommandFailure/busLost``.
  func checkBus() async throws {
    let bus = "org.freedesktop.DBus"
    _ = try? await connection.call(bus, .root, bus, "GetId")
    if connection.isClosed { throw CommandFailure.busLost }
  }

  /// The state of a session.
  func status(_ session: ObjectPath) async throws -> SessionStatus {
    try SessionStatus(try await properties(session, "Session"))
  }

  /// All properties of an interface of the service.
  func properties(_ path: ObjectPath, _ interface: String) async throws -> VariantDictionary {
    try await connection.properties(Self.name, path, "org.chappie.\(interface)")
  }
}

extension ObjectPath {
  /// The path that stands for a name on the bus by custom, such as `/org/example` for `org.example`.
  static func standing(for name: String) -> ObjectPath {
    name.split(separator: ".").reduce(.root) { $0.appending(String($1)) }
  }
}

/// What the bus itself tells about names.
extension BusConnection {
  /// All properties of an interface.
  func properties(
    _ name: String, _ path: ObjectPath, _ interface: String, timeout: Duration = .seconds(25)
  ) async throws -> VariantDictionary {
    try await call(
      name, path, "org.freedesktop.DBus.Properties", "GetAll", .tuple(interface), timeout: timeout
    ).member(0, "properties")
  }

  /// Whether a program on the bus has the name.
  func hasOwner(_ name: String) async -> Bool {
    (try? await ask("NameHasOwner", .tuple(name)).member(0, "owned", as: Bool.self)) ?? false
  }

  /// The names that the bus can start a program for.
  func activatableNames() async -> Set<String> {
    Set((try? await ask("ListActivatableNames").member(0, "names", as: [String].self)) ?? [])
  }

  /// Whether one of the names has an owner, or the bus could start one.
  func knows(_ names: [String]) async -> Bool {
    if !(await activatableNames()).isDisjoint(with: names) { return true }
    for name in names where await hasOwner(name) { return true }
    return false
  }

  /// The name that the kernel has for the program that owns `name`: at most 15 bytes. Nil when it is not known.
  func processName(of name: String) async -> String? {
    guard let id = try? await ask("GetConnectionUnixProcessID", .tuple(name)).member(0, "pid", as: UInt32.self),
      let text = try? Files.read("/proc/\(id)/comm", limit: 64)
    else { return nil }
    return String(decoding: text, as: UTF8.self).trimmed
  }

  private func ask(_ member: String, _ arguments: Variant = .tuple([])) async throws -> Variant {
    let bus = "org.freedesktop.DBus"
    return try await call(bus, .standing(for: bus), bus, member, arguments, timeout: .seconds(5))
  }
}
