// SPDX-License-Identifier: Apache-2.0
import CGLib

/// The exported objects of a connection, and the dispatch of their incoming calls.
@GLibActor
public final class BusObjects {
  /// A group of callers that share limits and one turn in the fair queue, and whether the caller stays in it. Otherwise
  /// the group is looked up again for its later calls.
  public typealias Group = (name: String, isLasting: Bool)

  /// The error replies when the caller's group exceeds its limits: for too many pending calls, and for too many files
  /// that came with pending calls.
  public typealias Refusals = (calls: BusError, files: BusError)

  /// Rules for all incoming calls.
  private struct Rules {
    let group: @GLibActor (_ caller: String) async -> Group
    let noObject: @GLibActor (_ path: String, _ caller: String) async -> BusError
  }

  /// The maximum number of calls that start in one iteration of the main loop.
  private static let callsPerRound = 16
  /// The maximum size of queued replies in bytes, after which dispatch waits: GDBus queues without a bound.
  private static let unsentBytes = 1 << 20
  /// The size of a reply besides its body, or of an error.
  private static let bytesOfReply = 256

  private let pointer: OpaquePointer
  private let descriptors: DescriptorPassing
  private let inbox: CallInbox
  private let filter: UInt32
  private var objects: [String: Weak<BusObject>] = [:]
  private var answeredBytes = 0
  private var rules: Rules?

  init(_ pointer: OpaquePointer, _ descriptors: DescriptorPassing, _ files: MessageFiles?) {
    g_object_ref(UnsafeMutableRawPointer(pointer))
    self.pointer = pointer
    self.descriptors = descriptors
    let server = Server()
    let inbox = CallInbox(files) { Task.onGLib { server.objects?.serve() } }
    self.inbox = inbox
    filter = inbox.attach(to: pointer)
    server.objects = self
  }

  isolated deinit {
    inbox.detach(filter, from: pointer)
    g_object_unref(UnsafeMutableRawPointer(pointer))
  }

  /// A weak reference for the inbox's wake-up callback.
  @GLibActor
  private final class Server {
    weak var objects: BusObjects?
  }

  /// Sets the rules for later calls. Without rules each caller is a group of its own.
  ///
  /// - Parameters:
  ///   - methodsWithFiles: the methods that take file descriptors, such as `org.example.Interface.Method`. A call of
  ///     another method that brings some fails.
  ///   - group: looks up the group of a caller.
  ///   - noObject: the error reply when there is no object at the path.
  public func use(
    refusals: Refusals, methodsWithFiles: Set<String>, group: @escaping @GLibActor (_ caller: String) async -> Group,
    noObject: @escaping @GLibActor (_ path: String, _ caller: String) async -> BusError
  ) {
    rules = Rules(group: group, noObject: noObject)
    inbox.useGroups(refusals, methodsWithFiles: methodsWithFiles)
  }

  /// Forgets the group of a caller that has left the bus.
  public func forget(_ caller: String) {
    inbox.forget(caller)
  }

  // MARK: Objects

  /// - Throws: ``GLibError`` when the path is in use.
  func add(_ object: BusObject) throws {
    guard objects[object.path.string]?.value == nil else {
      throw GLibError(domain: "chappie-bus", code: 3, message: "an object is already exported at \(object.path)")
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

  /// Whether every incoming call has been answered.
  public var isIdle: Bool { inbox.isEmpty }

  private func serve() {
    for caller in inbox.takeUnassignedCallers() { Task.onGLib { await findGroup(of: caller) } }
    for _ in 0..<Self.callsPerRound {
      guard answeredBytes < Self.unsentBytes, let call = inbox.next() else { break }
      // Tasks that this task starts inherit the group.
      CallerGroup.$current.withValue(call.group) { _ = Task.onGLib { await answer(call) } }
    }
    let refused = inbox.takeRefused(Self.callsPerRound)
    for refused in refused { refused.error.send(to: refused.call, on: pointer) }
    answeredBytes += refused.count * Self.bytesOfReply
    if answeredBytes >= Self.unsentBytes {
      Task.onGLib { await flush() }
    } else if !inbox.sleep() {
      // Continues in the next iteration of the main loop.
      Task.onGLib { serve() }
    }
  }

  private func findGroup(of caller: String) async {
    let group: Group = await rules?.group(caller) ?? (caller, false)
    inbox.assign(caller, to: group.name, isLasting: group.isLasting)
  }

  /// Waits until the queued replies have been written, then continues.
  private func flush() async {
    try? await BusConnection.flush(pointer)
    answeredBytes = 0
    serve()
  }

  private func answer(_ served: FairQueue<IncomingCall>.Served) async {
    let call = served.item
    let replied = Wait()
    answeredBytes += Self.bytesOfReply
    do throws(BusError) {
      let reply = try await reply(to: call, replied)
      answeredBytes += reply.byteCount
      call.reply(reply, on: pointer, descriptors)
    } catch {
      call.fail(error, on: pointer)
    }
    replied.finish()
    inbox.done(served)
  }

  private func reply(to call: IncomingCall, _ replied: Wait) async throws(BusError) -> Variant {
    if call.interface == "org.freedesktop.DBus.Introspectable", call.member == "Introspect" {
      return .tuple(try await introspection(of: call.path, for: call.sender))
    }
    guard let object = objects[call.path]?.value else { throw await noObject(at: call.path, for: call.sender) }
    return try await object.answer(call, replied)
  }

  /// The error reply when `caller` may see no object at the path.
  func noObject(at path: String, for caller: String) async -> BusError {
    await rules?.noObject(path, caller) ?? .ofBus("UnknownMethod", "There is no object at \(path).")
  }
}

/// The group of callers for which the running task works.
public enum CallerGroup {
  /// The name of the group, as ``BusObjects`` looked it up for the call that started this task; nil for this
  /// process's own work.
  @TaskLocal public static var current: String?
}
