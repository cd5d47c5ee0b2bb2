import ChappieSDK

/// The protection of the files of a ``ChappieFileThreadStore``. Backups never include them.
public struct ChappieFileThreadStoreStoragePolicy: Sendable, Hashable {
  /// The times at which the files can be read and written.
  public enum FileProtection: Sendable, Hashable, CaseIterable {
    /// Only while the keyring is unlocked and the screen is not locked. The default.
    case complete
    /// From the first unlock of the keyring after login, even while it is locked again: for background work.
    case completeUntilFirstUserAuthentication
  }

  /// The times at which the files can be read and written.
  public var fileProtection: FileProtection

  public init(fileProtection: FileProtection = .complete) {
    self.fileProtection = fileProtection
  }

  public static let `default` = ChappieFileThreadStoreStoragePolicy()
}

extension ChappieFileThreadStoreStoragePolicy.FileProtection {
  /// The same rule for the key in the keyring.
  package var accessibility: ChappieKeychainAccessibility {
    switch self {
    case .complete: .whenUnlockedThisDeviceOnly
    case .completeUntilFirstUserAuthentication: .afterFirstUnlockThisDeviceOnly
    }
  }
}
