// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The application that owns credentials and threads.
///
/// A program that uses these libraries has its own slots and stores under its own id, as an app on an Apple platform
/// has its own keychain. The desktop user's slots and stores, shared by `chappied` and `chappie`, have the id
/// ``desktopUser``. The ids only prevent mistakes. They are no security boundary, because every program outside a
/// sandbox can read an unlocked keyring.
public struct ChappieApplicationID: Sendable, Hashable {
  private enum Owner: Sendable, Hashable {
    case desktopUser
    case thisProgram
    case host(String)
    case sandboxed(String)
  }

  private let owner: Owner

  private init(_ owner: Owner) {
    self.owner = owner
  }

  /// The desktop user's own slots and stores.
  public static let desktopUser = ChappieApplicationID(.desktopUser)

  /// This program: the id of its `GApplication` or, without one, the program's name. The first use of a slot or a store
  /// fixes the choice. A program that uses one before it creates its `GApplication` must pass its id itself.
  public static let program = ChappieApplicationID(.thisProgram)

  /// The application with `id`, such as `org.example.App`: 1 to 255 bytes of UTF-8 without `/` and control characters.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for anything else.
  public init(_ id: String) throws(ChappieClientError) {
    guard Self.isValid(id) else {
      throw .invalidArgument("An application's id has 1 to 255 bytes, and neither '/' nor control characters.")
    }
    owner = .host(id)
  }

  /// The verified id of a sandboxed app.
  package static func sandboxed(_ id: String) -> ChappieApplicationID { ChappieApplicationID(.sandboxed(id)) }

  package var isDesktopUser: Bool { owner == .desktopUser }

  /// The application attribute of items in the keyring. Nil for the desktop user. A sandboxed app's id contains no
  /// colon, so no such app can pass for a program outside a sandbox.
  package var attribute: String? {
    switch owner {
    case .desktopUser: nil
    case .thisProgram: Self.hostPrefix + Self.ownID
    case .host(let id): Self.hostPrefix + id
    case .sandboxed(let id): id
    }
  }

  /// The text of an ``attribute`` for users.
  static func shown(_ attribute: String) -> String {
    attribute.hasPrefix(hostPrefix) ? String(attribute.dropFirst(hostPrefix.count)) : attribute
  }

  /// The name for people, such as `Notes (org.example.Notes)`. An application has chosen its name, perhaps to pass for
  /// another, so its id is always there. The desktop user's own is “Chappie”.
  package func named(_ name: String?) -> String {
    guard let attribute else { return "Chappie" }
    let id = Self.shown(attribute).visibleName(limit: 255)
    let name = name?.visibleName() ?? ""
    return name.isEmpty || name == id ? id : "\(name) (\(id))"
  }

  /// The name of this program's own front ends in requests.
  static let ownOriginator = "chappie"

  /// The name in requests of the application with an ``attribute``: its id, of which a header field can carry printable
  /// ASCII. Other characters are left out.
  static func originator(_ attribute: String) -> String {
    let kept = shown(attribute).unicodeScalars.filter { (0x21...0x7E).contains($0.value) }
    return kept.isEmpty ? "unnamed" : String(String.UnicodeScalarView(kept))
  }

  private static let hostPrefix = "host:"
  private static let ownID = [Program.applicationID, Program.name].compactMap { $0 }.first(where: isValid) ?? "unnamed"

  private static func isValid(_ id: String) -> Bool {
    (1...255).contains(id.utf8.count) && !id.contains("/")
      && !id.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
