import CGLib

/// The Swift side of one interface of one exported object: a handler for each member that the XML names.
@GLibActor
public struct BusImplementation {
  public typealias Method = @GLibActor (BusCall) async throws -> Variant
  public typealias Property = @GLibActor () -> Variant

  public let description: BusInterfaceDescription
  /// What the handlers work on: kept while the object is on the bus, and while calls of it run.
  private let owner: AnyObject?
  let methods: [String: Method]
  let properties: [String: Property]
  let signalTypes: [String: String]

  /// - Parameter owner: what the handlers work on. They may refer to it unowned, for calls keep it; it must not keep the
  ///   ``BusObject``.
  /// - Throws: ``GLibError`` that names each method and property that has no handler, or whose handler the XML does
  ///   not know.
  public init(
    _ description: BusInterfaceDescription, owner: AnyObject? = nil, methods: [String: Method],
    properties: [String: Property]
  ) throws {
    self.description = description
    self.owner = owner
    self.methods = methods
    self.properties = properties
    signalTypes = description.signalTypes
    let wrong =
      Set(description.methods).symmetricDifference(methods.keys).sorted()
      + Set(description.properties).symmetricDifference(properties.keys).sorted()
    guard wrong.isEmpty else {
      throw GLibError(
        domain: "chappie-bus", code: 1,
        message: "\(description.name): XML and handlers disagree on \(wrong.joined(separator: ", "))")
    }
  }
}

/// An object on the bus. It leaves the bus when it is let go.
@GLibActor
public final class BusObject {
  /// Decides whether a peer gets what it wants; throws what it is answered with.
  public typealias Authorize = @GLibActor (BusRequest) async throws -> Void

  public let path: ObjectPath
  let connection: BusConnection
  private let implementations: [String: BusImplementation]
  private let authorize: Authorize
  private let errorForFailure: @GLibActor (any Error) -> BusError
  private var registrations: [UInt32] = []

  /// Exports `implementations` at `path`.
  ///
  /// - Parameters:
  ///   - authorize: asked before each call and each read of properties.
  ///   - errorForFailure: turns what a handler throws into what the caller reads.
  /// - Throws: ``GLibError`` when the path is taken.
  public init(
    _ connection: BusConnection, _ path: ObjectPath, _ implementations: [BusImplementation],
    authorize: @escaping Authorize, errorForFailure: @escaping @GLibActor (any Error) -> BusError
  ) throws {
    self.connection = connection
    self.path = path
    self.authorize = authorize
    self.errorForFailure = errorForFailure
    self.implementations = Dictionary(uniqueKeysWithValues: implementations.map { ($0.description.name, $0) })
    for implementation in implementations { try register(implementation) }
  }

  isolated deinit {
    unexport()
  }

  /// Takes the object off the bus.
  public func unexport() {
    for id in registrations { g_dbus_connection_unregister_object(connection.pointer, id) }
    registrations = []
  }

  private func register(_ implementation: BusImplementation) throws {
    // Without property functions GDBus hands Get and GetAll to `method_call`, where they can be answered later.
    var functions = GDBusInterfaceVTable()
    functions.method_call = { _, _, _, interface, member, arguments, pointer, data in
      guard let pointer, let data else { return }
      let invocation = BusInvocation(pointer: pointer, arguments: Variant(sharing: arguments))
      let interface = interface.map { String(cString: $0) } ?? ""
      let member = member.map { String(cString: $0) } ?? ""
      GLibActor.assumeIsolated {
        CallbackBox<Weak<BusObject>>.of(data).closure.value?.receive(interface, member, invocation)
          ?? invocation.fail(BusError(name: "org.freedesktop.DBus.Error.UnknownObject", message: "the object is gone"))
      }
    }
    let box = CallbackBox(Weak(self))
    let id = try checked {
      g_dbus_connection_register_object(
        connection.pointer, path.string, implementation.description.info, &functions, box.retained,
        CallbackBox<Weak<BusObject>>.release, &$0)
    }
    registrations.append(id)
  }

  // MARK: Signals

  /// Emits a signal of an exported interface to one peer, or to all when `destination` is nil.
  ///
  /// Traps when the arguments are not what the XML says.
  public func emit(_ interface: String, _ signal: String, _ arguments: Variant, to destination: String? = nil) {
    let type = implementations[interface]?.signalTypes[signal]
    precondition(type.map(arguments.isOfType) == true, "\(interface).\(signal) does not carry \(arguments.type)")
    // It can only fail when the connection is closed, and then nobody listens.
    try? connection.emit(path, interface, signal, arguments, to: destination)
  }

  /// Tells everybody that `properties` changed.
  public func propertiesChanged(_ interface: String, _ properties: [String]) {
    guard let implementation = implementations[interface] else { return }
    var values = VariantDictionary()
    var invalidated: [String] = []
    for name in properties {
      if implementation.description.announcesValue(ofProperty: name) {
        values.set(name, implementation.properties[name]?())
      } else {
        invalidated.append(name)
      }
    }
    try? connection.emit(
      path, "org.freedesktop.DBus.Properties", "PropertiesChanged", .tuple(interface, values, invalidated))
  }

  /// All properties of an interface.
  public func properties(of interface: String) -> VariantDictionary {
    var values = VariantDictionary()
    for (name, get) in implementations[interface]?.properties ?? [:] { values.set(name, get()) }
    return values
  }

  // MARK: Calls

  private func receive(_ interface: String, _ member: String, _ invocation: BusInvocation) {
    Task.onGLib {
      do {
        let reply = try await answer(interface, member, invocation)
        invocation.reply(reply)
      } catch {
        invocation.fail(errorForFailure(error))
      }
    }
  }

  private func answer(_ interface: String, _ member: String, _ invocation: BusInvocation) async throws -> Variant {
    let call = invocation.call
    if interface == "org.freedesktop.DBus.Properties" {
      return try await answerProperty(member, call)
    }
    try await authorize(BusRequest(sender: call.sender, interface: interface, access: .method(member)))
    guard let implementation = implementations[interface], let method = implementation.methods[member] else {
      throw BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "no method \(interface).\(member)")
    }
    let reply = try await method(call)
    let type = implementation.description.replyType(of: member) ?? "()"
    precondition(reply.isOfType(type), "\(interface).\(member) must return \(type), not \(reply.type)")
    return reply
  }

  private func answerProperty(_ member: String, _ call: BusCall) async throws -> Variant {
    let interface: String = try call.argument(0)
    try await authorize(BusRequest(sender: call.sender, interface: interface, access: .properties))
    guard let implementation = implementations[interface] else {
      throw BusError(name: "org.freedesktop.DBus.Error.UnknownInterface", message: "no interface \(interface)")
    }
    guard member == "Get" else { return .tuple(properties(of: interface)) }
    let name: String = try call.argument(1)
    guard let get = implementation.properties[name] else {
      throw BusError(name: "org.freedesktop.DBus.Error.UnknownProperty", message: "no property \(interface).\(name)")
    }
    return .tuple([get().boxed])
  }
}

/// A call that waits for its one answer.
private struct BusInvocation: @unchecked Sendable {
  let pointer: OpaquePointer
  let arguments: Variant

  var call: BusCall {
    let message = g_dbus_method_invocation_get_message(pointer)
    let flags = g_dbus_message_get_flags(message).rawValue
    return BusCall(
      sender: g_dbus_method_invocation_get_sender(pointer).map { String(cString: $0) } ?? "",
      arguments: arguments,
      allowsInteraction: flags & G_DBUS_MESSAGE_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION.rawValue != 0)
  }

  func reply(_ value: Variant) {
    g_dbus_method_invocation_return_value(pointer, value.pointer)
  }

  func fail(_ error: BusError) {
    g_dbus_method_invocation_return_dbus_error(pointer, error.name, error.message)
  }
}
