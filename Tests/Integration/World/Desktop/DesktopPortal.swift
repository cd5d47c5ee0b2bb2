// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The desktop's portal: it records each page that it is asked to open, and opens none.
@GLibActor
final class DesktopPortal {
  private static let name = "org.freedesktop.portal.Desktop"
  private static let interface = "org.freedesktop.portal.OpenURI"

  private let connection: BusConnection
  private var object: BusObject?
  /// Each page with the activation token that came with it.
  private(set) var pages: [(address: String, token: String?)] = []

  init(_ world: World) async throws {
    connection = try await BusConnection.open(address: world.directories.busAddress)
    let implementation = try BusImplementation(
      BusInterfaceDescription(xml: Self.xml, name: Self.interface),
      methods: [
        "OpenURI": { [weak self] call in
          let options: VariantDictionary = try call.argument(2)
          self?.pages.append((try call.argument(1), options.text("activation_token")))
          return .tuple(ObjectPath.named("org.freedesktop.portal.Request"))
        }
      ], properties: [:])
    object = try BusObject(
      connection, .named("org.freedesktop.portal.desktop"), [implementation], rights: .init { _ in }
    ) { error in
      BusError(name: "org.freedesktop.DBus.Error.Failed", message: "\(error)")
    }
    guard try await connection.requestName(Self.name) == .owner else { throw UnmetCondition("the portal's name") }
    world.keep(self)
  }

  /// Waits for a page.
  func page(_ count: Int = 1) async throws -> String {
    try await eventually("page \(count) at the portal") { pages.count >= count }
    return pages[count - 1].address
  }

  private static let xml = """
    <node>
      <interface name="org.freedesktop.portal.OpenURI">
        <method name="OpenURI">
          <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
          <arg type="o" direction="out"/>
        </method>
      </interface>
    </node>
    """
}
