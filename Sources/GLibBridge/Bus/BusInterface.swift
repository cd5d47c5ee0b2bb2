// SPDX-License-Identifier: Apache-2.0
import CGLib

/// The description of one interface, from its introspection XML.
public struct BusInterfaceDescription: @unchecked Sendable {
  /// Keeps the parsed XML alive, which is immutable.
  private final class Storage {
    let node: UnsafeMutablePointer<GDBusNodeInfo>

    init(xml: String) throws {
      let parsed = try checked { g_dbus_node_info_new_for_xml(xml, &$0) }
      guard let parsed else { throw GLibError.timedOut }
      node = parsed
    }

    deinit {
      g_dbus_node_info_unref(node)
    }
  }

  private let storage: Storage
  let info: UnsafeMutablePointer<GDBusInterfaceInfo>

  /// - Throws: ``GLibError`` when `xml` is not introspection XML that contains the interface `name`.
  public init(xml: String, name: String) throws {
    storage = try Storage(xml: xml)
    guard let info = g_dbus_node_info_lookup_interface(storage.node, name) else {
      throw GLibError(domain: "chappie-bus", code: 0, message: "the XML describes no interface \(name)")
    }
    self.info = info
  }

  public var name: String { String(cString: info.pointee.name) }

  public var methods: [String] { Self.list(info.pointee.methods).map { String(cString: $0.pointee.name) } }
  public var properties: [String] { Self.list(info.pointee.properties).map { String(cString: $0.pointee.name) } }

  /// The D-Bus type of the method's arguments, as a tuple.
  func argumentType(of method: String) -> String {
    g_dbus_interface_info_lookup_method(info, method).map { Self.tupleType($0.pointee.in_args) } ?? "()"
  }

  /// The D-Bus type of the method's reply, as a tuple.
  func replyType(of method: String) -> String {
    g_dbus_interface_info_lookup_method(info, method).map { Self.tupleType($0.pointee.out_args) } ?? "()"
  }

  /// The D-Bus types of the signals' arguments, as tuples.
  var signalTypes: [String: String] {
    let types = Self.list(info.pointee.signals).map {
      (String(cString: $0.pointee.name), Self.tupleType($0.pointee.args))
    }
    return Dictionary(uniqueKeysWithValues: types)
  }

  /// Whether PropertiesChanged carries the property's value instead of invalidating it.
  func announcesValue(ofProperty property: String) -> Bool {
    guard let found = g_dbus_interface_info_lookup_property(info, property) else { return false }
    let annotation = g_dbus_annotation_info_lookup(
      found.pointee.annotations, "org.freedesktop.DBus.Property.EmitsChangedSignal")
    return annotation.map { String(cString: $0) != "invalidates" } ?? true
  }

  private static func tupleType(
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<GDBusArgInfo>?>?
  ) -> String {
    "(" + list(arguments).map { String(cString: $0.pointee.signature) }.joined() + ")"
  }

  private static func list<Info>(
    _ start: UnsafeMutablePointer<UnsafeMutablePointer<Info>?>?
  ) -> [UnsafeMutablePointer<Info>] {
    guard let start else { return [] }
    var members: [UnsafeMutablePointer<Info>] = []
    var next = start
    while let member = next.pointee {
      members.append(member)
      next += 1
    }
    return members
  }
}
