// SPDX-License-Identifier: Apache-2.0
import CLibsecret

/// A client of the desktop keyring (the Secret Service), by libsecret.
///
/// No call prompts the user unless its `interaction` allows it. Each call has a deadline. Items are looked up by their
/// attributes each time, because an object path may later refer to another item.
@GLibActor
public final class SecretServiceClient {
  /// The attributes that identify an item, and its label in a keyring editor.
  public struct Item: Sendable {
    /// The name of the libsecret schema.
    public var schema: String
    public var attributes: [String: String]
    public var label: String

    public init(schema: String, attributes: [String: String], label: String) {
      self.schema = schema
      self.attributes = attributes
      self.label = label
    }
  }

  /// The collection in which an item is stored.
  public enum Collection: Sendable {
    /// The user's default collection, stored on disk.
    case `default`
    /// The collection of the keyring with this unique bus name that lasts until logout. Not every keyring has one.
    case session(keyring: String)

    var alias: String {
      switch self {
      case .default: SECRET_COLLECTION_DEFAULT
      case .session: SECRET_COLLECTION_SESSION
      }
    }
  }

  /// The lock state of a collection.
  public enum CollectionState: Sendable {
    case locked
    case unlocked
  }

  /// An item that a search found. An item may be locked even when its collection is not.
  public struct Found {
    public let attributes: [String: String]
    public let isLocked: Bool
    /// The item's object path. It may refer to another item later.
    public let path: String
  }

  let deadline: Duration
  let services: SecretServicePair

  /// Creates a client. It connects at its first use.
  ///
  /// - Parameters:
  ///   - deadline: the longest wait for a response without a prompt.
  ///   - allowsPlainSessions: whether secrets may cross the bus unencrypted when the keyring supports nothing else. It
  ///     is called for each new session. When it returns false, each call fails with
  ///     ``SecretStoreError/unavailable(_:)``.
  public init(
    deadline: Duration = .seconds(5), allowsPlainSessions: @escaping @GLibActor () -> Bool = { false }
  ) {
    self.deadline = deadline
    services = SecretServicePair(deadline: deadline, allowsPlainSessions: allowsPlainSessions)
  }

  /// Connects to the keyring, unless there is a connection.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func connect() async throws {
    try await services.withService(.forbidden) { _ in }
  }

  /// The unique bus name of the keyring that responded last; nil when none has.
  public var keyring: String? { services.keyring }
}

/// Whether a call may prompt the user, for example for the keyring's password.
public enum UserInteraction: Sendable {
  case forbidden
  case allowed
}

/// An error of the desktop keyring.
public enum SecretStoreError: Error, Equatable {
  /// The collection or item is locked, and unlocking was forbidden or dismissed.
  case locked
  /// The keyring has no default collection, as before its first use, and creating one was forbidden.
  case noDefaultCollection
  /// There is no keyring, it does not respond, or it returned an error. The value is the reason.
  case unavailable(String)
}
