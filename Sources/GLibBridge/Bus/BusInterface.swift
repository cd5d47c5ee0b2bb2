// SPDX-License-Identifier: Apache-2.0
import CGLib

/// The description of one interface, from its introspection XML.
public struct BusInterfaceDescription: @unchecked Sendable {
  /// Keeps the parsed XML alive, which is immutable.
  private final class Storage {
    let node: UnsafeMutablePointer<GDBusNodeInfo>

    init(xml: String) throws {
      node = try checked { g_dbus_node_info_new_for_xml(xml, &$0) }
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

  public var methods: [String] { elements(info.pointee.methods).map { String(cString: $0.pointee.name) } }
  public var properties: [String] { elements(info.pointee.properties).map { String(cString: $0.pointee.name) } }

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
    let types = elements(info.pointee.signals).map {
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
    "(" + elements(arguments).map { String(cString: $0.pointee.signature) }.joined() + ")"
  }
}

/// Introspection, restricted to the objects and interfaces that the caller may see.
extension BusObjects {
  /// The introspection XML of a path.
  ///
  /// - Throws: ``BusError`` when `caller` may see nothing at the path or below it.
  func introspection(of path: String, for caller: String) async throws(BusError) -> String {
    var interfaces: [BusInterfaceDescription] = []
    var children: Set<String> = []
    for object in objects(at: path) {
      let visible = await object.interfaces(visibleTo: caller)
      guard !visible.isEmpty else { continue }
      if object.path.string == path {
        interfaces = visible
      } else {
        let rest = object.path.string.dropFirst(path == "/" ? 1 : path.utf8.count + 1)
        children.insert(String(rest.prefix { $0 != "/" }))
      }
    }
    guard !interfaces.isEmpty || !children.isEmpty || path == "/" else {
      throw await noObject(at: path, for: caller)
    }
    return Self.xml(interfaces, children: children.sorted())
  }

  private static func xml(_ interfaces: [BusInterfaceDescription], children: [String]) -> String {
    let described = interfaces.isEmpty ? "" : standardInterfaces + interfaces.map(\.xml).joined()
    let nodes = children.map { "  <node name=\"\($0)\"/>\n" }.joined()
    return documentType + "<node>\n" + described + nodes + "</node>\n"
  }

  private static let documentType = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
                          "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

    """

  private static let standardInterfaces = """
      <interface name="org.freedesktop.DBus.Properties">
        <method name="Get">
          <arg type="s" name="interface_name" direction="in"/>
          <arg type="s" name="property_name" direction="in"/>
          <arg type="v" name="value" direction="out"/>
        </method>
        <method name="GetAll">
          <arg type="s" name="interface_name" direction="in"/>
          <arg type="a{sv}" name="properties" direction="out"/>
        </method>
        <method name="Set">
          <arg type="s" name="interface_name" direction="in"/>
          <arg type="s" name="property_name" direction="in"/>
          <arg type="v" name="value" direction="in"/>
        </method>
        <signal name="PropertiesChanged">
          <arg type="s" name="interface_name"/>
          <arg type="a{sv}" name="changed_properties"/>
          <arg type="as" name="invalidated_properties"/>
        </signal>
      </interface>
      <interface name="org.freedesktop.DBus.Introspectable">
        <method name="Introspect">
          <arg type="s" name="xml_data" direction="out"/>
        </method>
      </interface>
      <interface name="org.freedesktop.DBus.Peer">
        <method name="Ping"/>
        <method name="GetMachineId">
          <arg type="s" name="machine_uuid" direction="out"/>
        </method>
      </interface>

    """
}

extension BusInterfaceDescription {
  /// The introspection XML of this interface, indented by two spaces.
  fileprivate var xml: String {
    let text = g_string_new(nil)
    g_dbus_interface_info_generate_xml(info, 2, text)
    return takeString(g_string_free(text, 0)) ?? ""
  }
}
