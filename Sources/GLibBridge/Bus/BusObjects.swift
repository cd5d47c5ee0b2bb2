import CGLib

/// The objects that a connection has on the bus, and the calls that come for them.
@GLibActor
public final class BusObjects {
  /// Callers whose calls count together, and take turns with those of others as one.
  public struct Group: Sendable {
    public let name: String
    /// Whether the caller stays in it; otherwise that is asked again for its next calls.
    public let isLasting: Bool

    public init(name: String, isLasting: Bool = true) {
      self.name = name
      self.isLasting = isLasting
    }
  }

  /// What holds for all calls, whichever object they are for.
  public struct Rules {
    /// Finds the group of a caller.
    public let group: @GLibActor (_ caller: String) async -> Group
    /// The answer where there is no object.
    public let noObject: @GLibActor (_ path: String, _ caller: String) async -> BusError

    /// - Parameter tooManyCalls: the answer to a caller whose group has too much pending.
    public let tooManyCalls: BusError

    public init(
      tooManyCalls: BusError, group: @escaping @GLibActor (_ caller: String) async -> Group,
      noObject: @escaping @GLibActor (_ path: String, _ caller: String) async -> BusError
    ) {
      self.tooManyCalls = tooManyCalls
      self.group = group
      self.noObject = noObject
    }
  }

  /// How many calls begin before sockets and timers get their turn.
  private static let callsPerRound = 16
  /// How many bytes of answers may wait inside this process to be written: GDBus queues without a limit.
  private static let unsentBytes = 8 << 20

  private let pointer: OpaquePointer
  private let inbox: CallInbox
  private let filter: UInt32
  private var objects: [String: Weak<BusObject>] = [:]
  private var answeredBytes = 0
  private var rules: Rules?

  init(_ pointer: OpaquePointer) {
    g_object_ref(UnsafeMutableRawPointer(pointer))
    self.pointer = pointer
    let server = Server()
    let inbox = CallInbox { Task.onGLib { server.objects?.serve() } }
    self.inbox = inbox
    filter = inbox.attach(to: pointer)
    server.objects = self
  }

  isolated deinit {
    g_dbus_connection_remove_filter(pointer, filter)
    g_object_unref(UnsafeMutableRawPointer(pointer))
  }

  /// Who is woken when calls come.
  @GLibActor
  private final class Server {
    weak var objects: BusObjects?
  }

  /// Sets rules for the calls that come from now on. Without any each caller is a group of its own.
  public func use(_ rules: Rules) {
    self.rules = rules
    inbox.useGroups(refusal: rules.tooManyCalls)
  }

  /// Forgets the group of a caller that has left the bus.
  public func forget(_ caller: String) {
    inbox.forget(caller)
  }

  // MARK: Objects

  /// - Throws: ``GLibError`` when the path is taken.
  func add(_ object: BusObject) throws {
    guard objects[object.path.string]?.value == nil else {
      throw GLibError(domain: "chappie-bus", code: 3, message: "there is an object at \(object.path) already")
    }
    objects[object.path.string] = Weak(object)
  }

  func remove(_ object: BusObject) {
    guard let known = objects[object.path.string]?.value, known === object else { return }
    objects[object.path.string] = nil
  }

  /// The objects at and below a path.
  func objects(at path: String) -> [BusObject] {
    let below = path == "/" ? "/" : path + "/"
    return objects.compactMap { $0.key == path || $0.key.hasPrefix(below) ? $0.value.value : nil }
  }

  // MARK: Calls

  private func serve() {
    for caller in inbox.takeStrangers() { Task.onGLib { await findGroup(of: caller) } }
    for _ in 0..<Self.callsPerRound {
      guard answeredBytes < Self.unsentBytes, let call = inbox.next() else { break }
      // A task that another one begins is on behalf of the same caller.
      CallerGroup.$current.withValue(call.group) { _ = Task.onGLib { await answer(call) } }
    }
    if answeredBytes >= Self.unsentBytes {
      Task.onGLib { await flush() }
    } else if !inbox.sleep() {
      // In the next round of the main loop.
      Task.onGLib { serve() }
    }
  }

  private func findGroup(of caller: String) async {
    let group = await rules?.group(caller) ?? Group(name: caller, isLasting: false)
    inbox.assign(caller, to: group.name, isLasting: group.isLasting)
  }

  /// Waits until what was answered has left this process, then goes on.
  private func flush() async {
    _ = try? await asyncCall { [pointer] cancellable, callback, data in
      g_dbus_connection_flush(pointer, cancellable, callback, data)
    } finish: { [pointer] result, error in
      g_dbus_connection_flush_finish(pointer, result, &error)
    }
    answeredBytes = 0
    serve()
  }

  private func answer(_ served: FairQueue<IncomingCall>.Served) async {
    let call = served.item
    do throws(BusError) {
      let reply = try await reply(to: call)
      answeredBytes += reply.byteCount
      call.reply(reply, on: pointer)
    } catch {
      call.fail(error, on: pointer)
    }
    inbox.done(served)
  }

  private func reply(to call: IncomingCall) async throws(BusError) -> Variant {
    if call.interface == "org.freedesktop.DBus.Introspectable", call.member == "Introspect" {
      return .tuple(try await introspection(of: call.path, for: call.sender))
    }
    guard let object = objects[call.path]?.value else { throw await noObject(at: call.path, for: call.sender) }
    return try await object.answer(call)
  }

  /// What a caller reads where there is nothing that it may know of.
  func noObject(at path: String, for caller: String) async -> BusError {
    await rules?.noObject(path, caller)
      ?? BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "There is no object at \(path).")
  }
}
