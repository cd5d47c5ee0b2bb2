// SPDX-License-Identifier: Apache-2.0

/// An object that is exported on the bus. Releasing it unexports it.
@GLibActor
public final class BusObject {
  /// Authorizes a request; throws the error to reply with.
  public typealias Authorize = @GLibActor (BusRequest) async throws -> Void

  /// The recipients of an object's signals.
  public enum Audience: Sendable {
    /// All subscribers on the bus.
    case everyone
    /// These peers; each receives a unicast message.
    case only([String])
  }

  /// The access rules of an object.
  public struct Rights {
    /// Called before each method call and each property read.
    public var authorize: Authorize
    /// Whether introspection shows an interface of the object to a peer.
    public var shows: @GLibActor (_ interface: String, _ peer: String) async -> Bool
    /// The recipients of the object's signals.
    public var audience: @GLibActor () -> Audience

    /// By default every peer may see the object, and signals are broadcast.
    public init(
      authorize: @escaping Authorize,
      shows: @escaping @GLibActor (_ interface: String, _ peer: String) async -> Bool = { _, _ in true },
      audience: @escaping @GLibActor () -> Audience = { .everyone }
    ) {
      self.authorize = authorize
      self.shows = shows
      self.audience = audience
    }
  }

  public let path: ObjectPath
  let connection: BusConnection
  private let implementations: [BusImplementation]
  private let rights: Rights
  private let errorForFailure: @GLibActor (any Error) -> BusError

  /// Exports `implementations` at `path`.
  ///
  /// - Parameter errorForFailure: converts an error of a handler to the D-Bus error of the reply.
  /// - Throws: ``GLibError`` when the path is in use.
  public init(
    _ connection: BusConnection, _ path: ObjectPath, _ implementations: [BusImplementation], rights: Rights,
    errorForFailure: @escaping @GLibActor (any Error) -> BusError
  ) throws {
    self.connection = connection
    self.path = path
    self.rights = rights
    self.errorForFailure = errorForFailure
    self.implementations = implementations
    try connection.objects.add(self)
  }

  isolated deinit {
    unexport()
  }

  /// Unexports the object.
  public func unexport() {
    connection.objects.remove(self)
  }

  private func implementation(_ interface: String) -> BusImplementation? {
    implementations.first { $0.description.name == interface }
  }

  /// The interfaces that a peer may see.
  func interfaces(visibleTo peer: String) async -> [BusInterfaceDescription] {
    var visible: [BusInterfaceDescription] = []
    for implementation in implementations where await rights.shows(implementation.description.name, peer) {
      visible.append(implementation.description)
    }
    return visible
  }

  // MARK: Signals

  /// Emits a signal of an exported interface. Traps when the arguments do not have the type in the XML.
  ///
  /// - Parameter audience: nil is the object's own.
  public func emit(_ interface: String, _ signal: String, _ arguments: Variant, to audience: Audience? = nil) {
    let type = implementation(interface)?.signalTypes[signal]
    precondition(type.map(arguments.isOfType) == true, "\(interface).\(signal) does not carry \(arguments.type)")
    send(interface, signal, arguments, to: audience ?? rights.audience())
  }

  private func send(_ interface: String, _ signal: String, _ arguments: Variant, to audience: Audience) {
    do {
      switch audience {
      case .everyone: try connection.emit(path, interface, signal, arguments)
      case .only(let peers):
        for peer in peers { try connection.emit(path, interface, signal, arguments, to: peer) }
      }
    } catch let error as BusMessageTooLong {
      // The emitters keep their signals below the limit.
      Log.warning("A signal \(name: signal) of \(error.bytes) bytes was not sent: it exceeds the maximum message size.")
    } catch {
      // The connection is closed.
    }
  }

  /// Emits PropertiesChanged for `properties` to the object's audience.
  public func propertiesChanged(_ interface: String, _ properties: [String]) {
    guard let implementation = implementation(interface) else { return }
    var values = VariantDictionary()
    var invalidated: [String] = []
    for name in properties {
      if implementation.description.announcesValue(ofProperty: name) {
        values.set(name, implementation.value(of: name, for: nil))
      } else {
        invalidated.append(name)
      }
    }
    send(
      propertiesInterface, "PropertiesChanged", .tuple(interface, values, invalidated), to: rights.audience())
  }

  /// The values of all properties of an interface, as everybody gets them.
  public func properties(of interface: String) -> VariantDictionary {
    implementation(interface)?.values(for: nil) ?? VariantDictionary()
  }

  // MARK: Calls

  /// - Parameter replied: finished when the reply has been queued.
  func answer(_ call: IncomingCall, _ replied: Wait) async throws(BusError) -> Variant {
    do {
      let reply =
        try await call.interface == propertiesInterface ? property(call, replied) : method(call, replied)
      try BusMessageTooLong.check(reply)
      return reply
    } catch {
      throw errorForFailure(error)
    }
  }

  private func method(_ call: IncomingCall, _ replied: Wait) async throws -> Variant {
    let (interface, member) = (call.interface, call.member)
    try await rights.authorize(BusRequest(sender: call.sender, interface: interface, isPropertyRead: false))
    guard let implementation = implementation(interface), let method = implementation.methods[member] else {
      throw BusError.ofBus("UnknownMethod", "There is no \(interface).\(member).")
    }
    let arguments = try call.call(implementation.description.argumentType(of: member), replied)
    let type = implementation.description.replyType(of: member)
    guard connection.passesDescriptors || !type.contains("h") else {
      throw BusError.ofBus("NotSupported", "This bus passes no file descriptors.")
    }
    let reply = try await method(arguments)
    precondition(reply.isOfType(type), "\(interface).\(member) must return \(type), not \(reply.type)")
    return reply
  }

  private func property(_ incoming: IncomingCall, _ replied: Wait) async throws -> Variant {
    guard let type = ["Get": "(ss)", "GetAll": "(s)", "Set": "(ssv)"][incoming.member] else {
      throw BusError.ofBus("UnknownMethod", "There is no \(propertiesInterface).\(incoming.member).")
    }
    let call = try incoming.call(type, replied)
    let interface: String = try call.argument(0)
    try await rights.authorize(BusRequest(sender: call.sender, interface: interface, isPropertyRead: true))
    guard let implementation = implementation(interface) else {
      throw BusError.ofBus("InvalidArgs", "There is no interface \(interface) here.")
    }
    if incoming.member == "GetAll" { return .tuple(implementation.values(for: call.sender)) }
    let name: String = try call.argument(1)
    guard let value = implementation.value(of: name, for: call.sender) else {
      throw BusError.ofBus("InvalidArgs", "There is no property \(interface).\(name).")
    }
    guard incoming.member == "Get" else {
      throw BusError.ofBus("InvalidArgs", "\(interface).\(name) can only be read.")
    }
    return .tuple([value.boxed])
  }
}

private let propertiesInterface = "org.freedesktop.DBus.Properties"
