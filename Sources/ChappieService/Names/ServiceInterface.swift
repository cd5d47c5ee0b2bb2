// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// An interface of the service on one object: what the XML in `dbus` names, with its handlers.
@GLibActor
protocol ServiceInterface: AnyObject {
  static var interface: String { get }
  static var xml: String { get }
  var signals: InterfaceSignals { get }
  /// The handlers may capture the interface unowned.
  var methods: [String: BusImplementation.Method] { get }
  /// All properties but `Version`.
  var properties: [String: BusImplementation.Property] { get }
  /// Waits until a request to this interface can be answered.
  func ready(for request: BusRequest) async
  /// Called once, when the object is on the bus.
  func wasExported()
}

extension ServiceInterface {
  typealias Handler = BusImplementation.Method

  var properties: [String: BusImplementation.Property] { [:] }
  func ready(for request: BusRequest) async {}
  func wasExported() {}

  /// The handler of a method without a result.
  func action(_ body: @escaping @GLibActor (BusCall) async throws -> Void) -> Handler {
    { call in
      try await body(call)
      return .tuple()
    }
  }

  fileprivate func implementation() throws -> BusImplementation {
    let description = try BusInterfaceDescription(xml: Self.xml, name: Self.interface)
    var properties = properties
    if description.properties.contains("Version") { properties["Version"] = { _ in UInt32(1).variant } }
    return try BusImplementation(description, owner: self, methods: methods, properties: properties)
  }
}

/// The signals of one interface, which its object sends once it is on the bus.
@GLibActor
final class InterfaceSignals {
  private var interface = ""
  /// Weak, because the object holds its interfaces.
  private weak var object: BusObject?
  /// The properties whose changes are found by comparison.
  private var watched: [String: BusImplementation.Property] = [:]
  private var known: [String: Variant] = [:]

  fileprivate func begin(_ interface: String, on object: BusObject) {
    self.interface = interface
    self.object = object
  }

  var canBeSent: Bool { object != nil }

  /// - Parameter audience: nil is the object's own.
  func emit(_ signal: String, _ arguments: Variant, to audience: BusObject.Audience? = nil) {
    object?.emit(interface, signal, arguments, to: audience)
  }

  /// Signals changes of `properties`, as everybody gets them, at each ``compare()`` from now on.
  func watch(_ properties: [String: BusImplementation.Property]) {
    watched = properties
    known = properties.mapValues { $0(nil) }
  }

  /// Signals each watched property whose value has changed.
  func compare() {
    var names: [String] = []
    for (name, value) in watched.mapValues({ $0(nil) }) where known[name] != value {
      known[name] = value
      names.append(name)
    }
    if !names.isEmpty { changed(names.sorted()) }
  }

  /// Signals that `properties` have changed.
  func changed(_ properties: [String]) {
    object?.propertiesChanged(interface, properties)
  }
}

extension BusConnection {
  /// Puts an object with `interfaces` on the bus.
  func export(
    _ path: ObjectPath, _ interfaces: [any ServiceInterface], _ rights: BusObject.Rights
  ) throws -> BusObject {
    var rights = rights
    let authorize = rights.authorize
    rights.authorize = { request in
      try await authorize(request)
      await interfaces.first { type(of: $0).interface == request.interface }?.ready(for: request)
    }
    let object = try BusObject(self, path, interfaces.map { try $0.implementation() }, rights: rights) { BusError($0) }
    for interface in interfaces {
      interface.signals.begin(type(of: interface).interface, on: object)
      interface.wasExported()
    }
    return object
  }
}
