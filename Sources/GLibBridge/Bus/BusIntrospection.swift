// SPDX-License-Identifier: Apache-2.0
import CGLib

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
    guard let characters = g_string_free(text, 0) else { return "" }
    defer { g_free(characters) }
    return String(cString: characters)
  }
}
