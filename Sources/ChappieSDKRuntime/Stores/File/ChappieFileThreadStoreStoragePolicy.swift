import ChappieSDK

/// How a ``ChappieFileThreadStore`` protects its files. That they are kept out of backups is no choice.
public struct ChappieFileThreadStoreStoragePolicy: Sendable, Hashable {
  /// When the files can be read and written.
  public enum FileProtection: Sendable, Hashable, CaseIterable {
    /// Only while the keyring is unlocked and the screen is not locked. The default.
    case complete
    /// Once the keyring was unlocked since login, also while it is locked again: for work in the background.
    case completeUntilFirstUserAuthentication
  }

  public var fileProtection: FileProtection

  public init(fileProtection: FileProtection = .complete) {
    self.fileProtection = fileProtection
  }

  public static let `default` = ChappieFileThreadStoreStoragePolicy()
}

extension ChappieFileThreadStoreStoragePolicy.FileProtection {
  /// The same rule for what is in the keyring.
  package var accessibility: ChappieKeychainAccessibility {
    switch self {
    case .complete: .whenUnlockedThisDeviceOnly
    case .completeUntilFirstUserAuthentication: .afterFirstUnlockThisDeviceOnly
    }
  }
}
