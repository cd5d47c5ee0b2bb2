// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The objects that callers opened.
@GLibActor
final class ObjectDirectory {
  /// A reason to keep a session open: a caller that has opened it, or a client of it.
  private struct Holder: Hashable {
    /// The session or the client.
    let object: ObjectPath
    let caller: String
  }

  /// A session on the bus and its holders.
  private final class OpenSession {
    let session: SessionObject
    var holders: Set<Holder> = []
    /// Nil until it is on the bus.
    var object: BusObject?

    init(_ session: SessionObject) {
      self.session = session
    }

    var callers: Set<String> { Set(holders.map(\.caller)) }
  }

  private let environment: ServiceEnvironment
  private let accounts: Accounts
  private var sessions: [ObjectPath: OpenSession] = [:]
  private var clients: [ObjectPath: (turns: TurnBook, object: BusObject, session: ObjectPath)] = [:]
  private var count = 0

  init(_ environment: ServiceEnvironment, _ accounts: Accounts) {
    self.environment = environment
    self.accounts = accounts
    environment.callers.close = { [weak self] object, caller in self?.release(object, caller) }
  }

  // MARK: Opening

  func openSession(_ options: VariantDictionary, for caller: String) async throws -> ObjectPath {
    let configuration = try await configuration(options, for: caller)
    let lease = try await environment.callers.leaseObject(caller)
    let (path, session) = try session(for: configuration)
    session.holders.insert(Holder(object: path, caller: caller))
    environment.callers.add(path, lease, to: caller)
    return path
  }

  func openClient(_ options: VariantDictionary, for caller: String) async throws -> ObjectPath {
    let configuration = try await configuration(options, for: caller)
    let lease = try await environment.callers.leaseObject(caller)
    let (sessionPath, session) = try session(for: configuration)
    let path = nextPath("client")
    let holder = Holder(object: path, caller: caller)
    session.holders.insert(holder)
    let (client, interfaces) = environment.client(configuration, sharing: .opened, session: sessionPath)
    do {
      if let harness = options["harness"] {
        try client.set(
          configuration.harness, of: harness.byteCount, for: await environment.callers.application(of: caller))
      }
      let object = try environment.connection.export(path, interfaces, rights(configuration) { [caller] })
      clients[path] = (client.turns, object, sessionPath)
    } catch {
      drop(holder, of: sessionPath)
      throw error
    }
    environment.callers.add(path, lease, to: caller)
    return path
  }

  private func session(for configuration: ChappieConfiguration) throws -> (ObjectPath, OpenSession) {
    if let known = sessions.first(where: { $0.value.session.session.configuration == configuration }) { return known }
    let path = nextPath("session")
    let session = SessionObject(configuration, environment, .opened(path))
    let open = OpenSession(session)
    let rights = rights(configuration) { [weak open] in open?.callers ?? [] }
    open.object = try environment.connection.export(path, [session], rights)
    accounts.follow(session)
    sessions[path] = open
    return (path, open)
  }

  private func nextPath(_ kind: String) -> ObjectPath {
    count += 1
    return ServicePaths.root.appending(kind).appending("n\(count)")
  }

  // MARK: Rights

  /// The configuration in `options`, with the slot of the calling app.
  ///
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument`, `AccessDenied`.
  private func configuration(_ options: VariantDictionary, for caller: String) async throws -> ChappieConfiguration {
    var configuration = try await decoded(byteCount: options.variant.byteCount) {
      [defaults = environment.defaults, models = environment.models] in
      try ChappieConfiguration(options, defaults: defaults, models)
    }
    configuration.applicationID =
      try await environment.callers.owner(caller).map { .sandboxed($0.text) } ?? .desktopUser
    try await admit(caller, to: configuration)
    return configuration
  }

  /// Lets the callers that have an object open use it, while they may use its credential.
  private func rights(
    _ configuration: ChappieConfiguration, _ holders: @escaping @GLibActor () -> Set<String>
  ) -> BusObject.Rights {
    BusObject.Rights { [weak self, callers = environment.callers] request in
      guard holders().contains(request.sender) else { throw await callers.identity(of: request.sender).denial }
      try await self?.admit(request.sender, to: configuration)
    } shows: { _, peer in
      holders().contains(peer)
    } audience: {
      .only(Array(holders()))
    }
  }

  private func admit(_ caller: String, to configuration: ChappieConfiguration) async throws {
    guard let group = configuration.keychainAccessGroup else { return }
    try await environment.groups.admit(await environment.callers.identity(of: caller), to: group)
  }

  // MARK: Closing

  /// - Throws: `BusError` with `InvalidArgument`.
  func close(_ object: ObjectPath, by caller: String) throws {
    guard environment.callers.remove(object, from: caller) else {
      throw BusError(.invalidArgument, "You have not opened \(object).")
    }
    release(object, caller)
  }

  private func release(_ path: ObjectPath, _ caller: String) {
    let client = clients.removeValue(forKey: path)
    if let client {
      client.turns.cancelAll()
      // A client leaves the bus once the last signals of its turns are sent.
      Task.onGLib {
        await client.turns.allEnded()
        client.object.unexport()
      }
    }
    drop(Holder(object: path, caller: caller), of: client?.session ?? path)
  }

  private func drop(_ holder: Holder, of path: ObjectPath) {
    guard let open = sessions[path] else { return }
    open.holders.remove(holder)
    guard open.holders.isEmpty else { return }
    open.session.close()
    open.object?.unexport()
    sessions[path] = nil
  }
}
