// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The systemd of a session, with one unit.
@GLibActor
final class FakeSystemd {
  private static let name = "org.freedesktop.systemd1"
  private static let unit = ObjectPath.named(name).appending("unit").appending("one")

  private let connection: BusConnection
  private var objects: [BusObject] = []
  /// What it says about the unit.
  var load = "loaded"
  var active = "active"

  init(_ world: World) async throws {
    connection = try await BusConnection.open(address: world.directories.busAddress)
    let manager = try BusImplementation(
      BusInterfaceDescription(xml: Self.xml, name: "\(Self.name).Manager"),
      methods: ["LoadUnit": { _ in .tuple(Self.unit) }], properties: [:])
    let unit = try BusImplementation(
      BusInterfaceDescription(xml: Self.xml, name: "\(Self.name).Unit"), methods: [:],
      properties: [
        "LoadState": { [unowned self] in self.load.variant }, "ActiveState": { [unowned self] in self.active.variant },
      ])
    objects = try [(ObjectPath.named(Self.name), manager), (Self.unit, unit)].map { path, implementation in
      try BusObject(connection, path, [implementation], rights: .init { _ in }) { error in
        BusError(name: "org.freedesktop.DBus.Error.Failed", message: "\(error)")
      }
    }
    guard try await connection.requestName(Self.name) == .owner else { throw UnmetCondition("systemd's name") }
    world.keep(self)
  }

  private static let xml = """
    <node>
      <interface name="org.freedesktop.systemd1.Manager">
        <method name="LoadUnit"><arg type="s" direction="in"/><arg type="o" direction="out"/></method>
      </interface>
      <interface name="org.freedesktop.systemd1.Unit">
        <property name="LoadState" type="s" access="read"/>
        <property name="ActiveState" type="s" access="read"/>
      </interface>
    </node>
    """
}
