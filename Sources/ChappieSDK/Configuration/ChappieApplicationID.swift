import GLibBridge

/// The application that credentials and threads belong to.
///
/// As an app on an Apple platform has a keychain of its own, a program that uses these libraries has its own slots and
/// stores, under its own id. It meets the desktop user's, which `chappied` and `chappie` use, where it asks for them
/// by name: ``desktopUser``. This keeps programs from using each other's by mistake; it is no boundary, for programs
/// outside a sandbox can all read an unlocked keyring.
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

  /// This program: the id of its `GApplication`, else the program's name. Which of the two is found out once, when a
  /// slot or a store is first used: a program that uses one before it has made its `GApplication` names its id itself.
  public static let program = ChappieApplicationID(.thisProgram)

  /// The application called `id`, such as `org.example.App`: 1 to 255 bytes of UTF-8 with neither `/` nor control
  /// characters.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for anything else.
  public init(_ id: String) throws(ChappieClientError) {
    guard Self.isValid(id) else {
      throw .invalidArgument("An application's id has 1 to 255 bytes, and neither '/' nor control characters.")
    }
    owner = .host(id)
  }

  /// The verified id of an app that calls from a sandbox.
  package static func sandboxed(_ id: String) -> ChappieApplicationID { ChappieApplicationID(.sandboxed(id)) }

  package var isDesktopUser: Bool { owner == .desktopUser }

  /// What items in the keyring carry; nil for the desktop user's. No id of a sandboxed app has a colon, so that none of
  /// them can pass for a program outside.
  package var attribute: String? {
    switch owner {
    case .desktopUser: nil
    case .thisProgram: Self.hostPrefix + Self.ownID
    case .host(let id): Self.hostPrefix + id
    case .sandboxed(let id): id
    }
  }

  /// What people are told of an ``attribute``.
  static func shown(_ attribute: String) -> String {
    attribute.hasPrefix(hostPrefix) ? String(attribute.dropFirst(hostPrefix.count)) : attribute
  }

  private static let hostPrefix = "host:"
  private static let ownID = [Program.applicationID, Program.name].compactMap { $0 }.first(where: isValid) ?? "unnamed"

  private static func isValid(_ id: String) -> Bool {
    (1...255).contains(id.utf8.count) && !id.contains("/")
      && !id.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
