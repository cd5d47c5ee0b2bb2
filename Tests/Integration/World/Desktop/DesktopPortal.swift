// SPDX-License-Identifier: Apache-2.0

/// The desktop's portal: it records each page that it is asked to open, and opens none.
@GLibActor
final class DesktopPortal {
  private static let name = "org.freedesktop.portal.Desktop"

  private let connection: BusConnection
  private var object: BusObject?
  /// Each page with the activation token that came with it.
  private(set) var pages: [(address: String, token: String?)] = []

  init(_ world: World) async throws {
    connection = try await BusConnection.open(address: world.directories.busAddress)
    let implementation = try BusImplementation.played(
      "org.freedesktop.portal.OpenURI",
      [
        "OpenURI s s a{sv} -> o": { [weak self] call in
          let options: VariantDictionary = try call.argument(2)
          self?.pages.append((try call.argument(1), options.text("activation_token")))
          return .tuple(ObjectPath.named("org.freedesktop.portal.Request"))
        }
      ])
    object = try BusObject.played(connection, .named("org.freedesktop.portal.desktop"), implementation)
    guard try await connection.requestName(Self.name) == .owner else { throw UnmetCondition("the portal's name") }
    world.keep(self)
  }

  /// Waits for a page.
  func page(_ count: Int = 1) async throws -> String {
    try await eventually("page \(count) at the portal") { pages.count >= count }
    return pages[count - 1].address
  }
}
