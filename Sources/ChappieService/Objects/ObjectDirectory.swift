// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The objects that callers opened.
@GLibActor
final class ObjectDirectory {
  /// A reason to keep a session open.
  private enum Holder: Hashable {
    case opener(String)
    case client(ObjectPath, of: String)

    var caller: String {
      switch self {
      case .opener(let caller), .client(_, of: let caller): caller
      }
    }
  }

  /// A session on the bus and its holders.
  private final class OpenSession {
    let path: ObjectPath
    let configuration: ChappieConfiguration
    let session: SessionObject
    let object: BusObject
    var holders: Set<Holder> = []

    init(_ path: ObjectPath, _ configuration: ChappieConfiguration, _ session: SessionObject, _ object: BusObject) {
      self.path = path
      self.configuration = configuration
      self.session = session
      self.object = object
    }
  }

  private struct OpenClient {
    let exported: ExportedClient
    let object: BusObject
    let session: ObjectPath
    let caller: String
  }

  private let exporter: ObjectExporter
  private let defaults: ChappieConfiguration
  private var sessions: [ObjectPath: OpenSession] = [:]
  private var clients: [ObjectPath: OpenClient] = [:]
  private var count = 0

  init(_ exporter: ObjectExporter, defaults: ChappieConfiguration) {
    self.exporter = exporter
    self.defaults = defaults
    exporter.environment.callers.close = { [weak self] object, caller in self?.release(object, caller) }
  }

  // MARK: Opening

  func openSession(_ options: VariantDictionary, for caller: String) async throws -> ObjectPath {
    let configuration = try await configuration(options, for: caller)
    let lease = try await exporter.environment.callers.leaseObject(caller)
    let session = try session(for: configuration)
    session.holders.insert(.opener(caller))
    exporter.environment.callers.add(session.path, lease, to: caller)
    return session.path
  }

  func openClient(_ options: VariantDictionary, for caller: String) async throws -> ObjectPath {
    let configuration = try await configuration(options, for: caller)
    let lease = try await exporter.environment.callers.leaseObject(caller)
    let session = try session(for: configuration)
    let path = nextPath("client")
    session.holders.insert(.client(path, of: caller))
    let exported = exporter.client(configuration, sharing: .opened(by: caller), session: session.path)
    do {
      if let harness = options["harness"] {
        try exported.client.set(
          configuration.harness, of: harness.byteCount, for: await exporter.environment.callers.application(of: caller))
      }
      let rights = BusObject.Rights { [weak self] request in
        try await self?.authorize(request, configuration) { $0 == caller }
      } shows: { _, peer in
        peer == caller
      } audience: {
        .only([caller])
      }
      let object = try exporter.export(path, exported.implementations(), rights)
      exported.attach(object)
      clients[path] = OpenClient(exported: exported, object: object, session: session.path, caller: caller)
    } catch {
      dropHolder(.client(path, of: caller), of: session.path)
      throw error
    }
    exporter.environment.callers.add(path, lease, to: caller)
    return path
  }

  private func session(for configuration: ChappieConfiguration) throws -> OpenSession {
    if let session = sessions.values.first(where: { $0.configuration == configuration }) { return session }
    let path = nextPath("session")
    let session = exporter.session(configuration, .opened(path))
    let rights = BusObject.Rights { [weak self, weak session] request in
      try await self?.authorize(request, configuration) { self?.holders(of: path).contains($0) == true }
      await session?.ready()
    } shows: { [weak self] _, peer in
      self?.holders(of: path).contains(peer) == true
    } audience: { [weak self] in
      .only(Array(self?.holders(of: path) ?? []))
    }
    let object = try exporter.export(path, [session.implementation()], rights)
    session.attach(object)
    exporter.accounts.follow(session)
    let open = OpenSession(path, configuration, session, object)
    sessions[path] = open
    return open
  }

  /// The callers that have a session open, or a client of it.
  private func holders(of session: ObjectPath) -> Set<String> {
    Set((sessions[session]?.holders ?? []).map(\.caller))
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
      [defaults, models = exporter.environment.models] in
      try ChappieConfiguration(options, defaults: defaults, models)
    }
    configuration.applicationID =
      try await exporter.environment.callers.owner(caller).map { .sandboxed($0.text) } ?? .desktopUser
    try await admit(caller, to: configuration)
    return configuration
  }

  /// Lets callers use an object that they have open, while they may use its credential.
  private func authorize(
    _ request: BusRequest, _ configuration: ChappieConfiguration, _ hasOpened: (_ caller: String) -> Bool
  ) async throws {
    guard hasOpened(request.sender) else {
      throw await exporter.environment.callers.identity(of: request.sender).denial
    }
    try await admit(request.sender, to: configuration)
  }

  private func admit(_ caller: String, to configuration: ChappieConfiguration) async throws {
    guard let group = configuration.keychainAccessGroup else { return }
    try await exporter.environment.groups.admit(await exporter.environment.callers.identity(of: caller), to: group)
  }

  // MARK: Closing

  /// - Throws: `BusError` with `InvalidArgument`.
  func close(_ object: ObjectPath, by caller: String) throws {
    guard exporter.environment.callers.remove(object, from: caller) else {
      throw BusError(.invalidArgument, "You have not opened \(object).")
    }
    release(object, caller)
  }

  private func release(_ object: ObjectPath, _ caller: String) {
    if let open = clients.removeValue(forKey: object) {
      open.exported.client.turns.cancelAll()
      closing(open)
      dropHolder(.client(object, of: open.caller), of: open.session)
    } else {
      dropHolder(.opener(caller), of: object)
    }
  }

  /// A client leaves the bus once the last signals of its turns are sent.
  private func closing(_ open: OpenClient) {
    Task.onGLib {
      await open.exported.client.turns.allEnded()
      open.object.unexport()
    }
  }

  private func dropHolder(_ holder: Holder, of path: ObjectPath) {
    guard let session = sessions[path] else { return }
    session.holders.remove(holder)
    guard session.holders.isEmpty else { return }
    session.session.close()
    session.object.unexport()
    sessions[path] = nil
  }
}
