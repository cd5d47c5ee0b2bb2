import CLibsecret

/// The desktop keyring, through libsecret's object interface.
///
/// No call asks the user for something unless it is told that it may. Each call has a deadline. Items are found by their
/// attributes each time: a kept object path may name another item tomorrow.
@GLibActor
public final class SecretServiceClient {
  /// Whether a call may ask the user for something, such as the keyring's password.
  public enum Interaction: Sendable {
    case forbidden
    case allowed
  }

  /// What identifies an item, and what it is called in a keyring editor.
  public struct Item: Sendable {
    /// The libsecret schema's name.
    public var schema: String
    public var attributes: [String: String]
    public var label: String

    public init(schema: String, attributes: [String: String], label: String) {
      self.schema = schema
      self.attributes = attributes
      self.label = label
    }
  }

  /// Where an item is stored.
  public enum Collection: Sendable {
    /// What the user chose as default; it is on disk.
    case `default`
    /// Items that last until logout. Not every keyring has it.
    case session

    var alias: String {
      switch self {
      case .default: SECRET_COLLECTION_DEFAULT
      case .session: SECRET_COLLECTION_SESSION
      }
    }
  }

  /// Whether a collection can be used.
  public enum CollectionState: Sendable {
    case locked
    case unlocked
  }

  /// What a search found. Items can be locked one by one, also in a collection that is not.
  public struct Found {
    public let attributes: [String: String]
    public let isLocked: Bool
    /// The item's object on the bus. It may be another item's tomorrow.
    @GLibActor public var path: String { item.path }
    let item: SecretItemReference
    /// libsecret's items know their service by a weak pointer.
    let service: SecretServiceReference
  }

  let deadline: Duration
  let services: SecretServicePair

  /// - Parameters:
  ///   - deadline: the longest wait for an answer that needs no person.
  ///   - allowsPlainSessions: whether secrets may cross the bus in clear, where a keyring has no other way. Asked for
  ///     each session. Where they may not, each call fails with ``SecretStoreError/unavailable(_:)``.
  public init(
    deadline: Duration = .seconds(5), allowsPlainSessions: @escaping @GLibActor () -> Bool = { false }
  ) {
    self.deadline = deadline
    services = SecretServicePair(deadline: deadline, allowsPlainSessions: allowsPlainSessions)
  }

  /// The unique name on the bus of the keyring that answered last; nil when none has.
  public var keyring: String? { services.keyring }
}
