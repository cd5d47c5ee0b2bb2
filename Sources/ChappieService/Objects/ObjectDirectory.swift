import ChappieSDK
import GLibBridge

/// The objects that callers opened.
@GLibActor
final class ObjectDirectory {
  /// A session on the bus and who has it open.
  private final class OpenSession {
    let path: ObjectPath
    let configuration: ChappieConfiguration
    let session: SessionObject
    let object: BusObject
    var holders: Set<String> = []

    init(_ path: ObjectPath, _ configuration: ChappieConfiguration, _ session: SessionObject, _ object: BusObject) {
      self.path = path
      self.configuration = configuration
      self.session = session
      self.object = object
    }
  }

  private struct OpenClient {
    let client: ClientObject
    let object: BusObject
    let session: ObjectPath
  }

  private let exporter: Exporter
  private let defaults: ChappieConfiguration
  private var sessions: [ObjectPath: OpenSession] = [:]
  private var clients: [ObjectPath: OpenClient] = [:]
  private var count = 0

  init(_ exporter: Exporter, defaults: ChappieConfiguration) {
    self.exporter = exporter
    self.defaults = defaults
    exporter.callers.close = { [weak self] object, caller in self?.release(object, caller) }
  }

  // MARK: Opening

  func openSession(_ options: VariantDictionary, for caller: String) throws -> ObjectPath {
    let configuration = try ChappieConfiguration(options, defaults: defaults)
    try exporter.callers.reserveObject(caller)
    let session = try session(for: configuration)
    session.holders.insert(caller)
    exporter.callers.add(session.path, to: caller)
    return session.path
  }

  func openClient(_ options: VariantDictionary, for caller: String) throws -> ObjectPath {
    let configuration = try ChappieConfiguration(options, defaults: defaults)
    try exporter.callers.reserveObject(caller)
    let session = try session(for: configuration)
    let path = nextPath("client")
    session.holders.insert(path.string)
    let client = ClientObject(
      Chappie.client(configuration: configuration), sharing: .opened, session: session.path,
      callers: exporter.callers, window: exporter.window)
    do {
      let object = try exporter.export(path, [client.implementation()]) { sender, _ in
        guard sender == caller else { throw BusError(.accessDenied, "Another program opened this client.") }
      }
      client.attach(object)
      clients[path] = OpenClient(client: client, object: object, session: session.path)
    } catch {
      dropHolder(path.string, of: session.path)
      throw error
    }
    exporter.callers.add(path, to: caller)
    return path
  }

  private func session(for configuration: ChappieConfiguration) throws -> OpenSession {
    if let session = sessions.values.first(where: { $0.configuration == configuration }) { return session }
    let path = nextPath("session")
    let session = SessionObject(Chappie.authSession(configuration: configuration))
    let object = try exporter.export(path, [session.implementation()]) { [weak self, weak session] sender, _ in
      guard self?.sessions[path]?.holders.isEmpty == false else { throw BusError(.accessDenied, "It is closed.") }
      await session?.ready()
    }
    session.attach(object)
    exporter.accounts.follow(session)
    let open = OpenSession(path, configuration, session, object)
    sessions[path] = open
    return open
  }

  private func nextPath(_ kind: String) -> ObjectPath {
    count += 1
    return ServicePaths.root.appending(kind).appending("n\(count)")
  }

  // MARK: Closing

  /// - Throws: `BusError` with `InvalidArgument`.
  func close(_ object: ObjectPath, by caller: String) throws {
    guard exporter.callers.remove(object, from: caller) else {
      throw BusError(.invalidArgument, "You have not opened \(object).")
    }
    release(object, caller)
  }

  private func release(_ object: ObjectPath, _ caller: String) {
    if let open = clients.removeValue(forKey: object) {
      open.client.cancelTurns()
      closing(open)
      dropHolder(object.string, of: open.session)
    } else {
      dropHolder(caller, of: object)
    }
  }

  /// A client leaves the bus once the last signals of its turns are sent.
  private func closing(_ open: OpenClient) {
    Task { @GLibActor in
      await open.client.turnsEnded()
      open.object.unexport()
    }
  }

  private func dropHolder(_ holder: String, of path: ObjectPath) {
    guard let session = sessions[path] else { return }
    session.holders.remove(holder)
    guard session.holders.isEmpty else { return }
    session.object.unexport()
    sessions[path] = nil
  }
}
