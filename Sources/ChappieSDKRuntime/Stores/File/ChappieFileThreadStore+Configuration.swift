// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import SecretMemory
import Synchronization

extension ChappieFileThreadStore {
  /// A store for the app and account that `configuration` names. Its key is in the keyring, next to their credential.
  ///
  /// - Parameters:
  ///   - configuration: the keychain fields name the app and the account.
  ///   - directory: the directory of the files, for this store alone; nil for a directory of the app and account under
  ///     `$XDG_DATA_HOME/chappie/threads`.
  ///   - retentionPolicy: the limits of age and size.
  ///   - storagePolicy: the protection of the files.
  public convenience init(
    configuration: ChappieConfiguration = ChappieConfiguration(), directory: String? = nil,
    retentionPolicy: ChappieThreadStoreRetentionPolicy = .default,
    storagePolicy: ChappieFileThreadStoreStoragePolicy = .default
  ) {
    let closesWithLocks = storagePolicy.fileProtection == .complete
    self.init(
      directory: directory ?? Self.directory(for: configuration), device: { try await Self.deviceName() },
      keys: KeyringThreadKey(configuration, accessibility: storagePolicy.fileProtection.accessibility),
      retention: retentionPolicy, isLocked: { closesWithLocks && LockMonitor.shared.state.isLocked })
    guard closesWithLocks else { return }
    Task.onGLib { [weak self] in
      let observation = LockMonitor.shared.observation { [weak self] in
        if LockMonitor.shared.state.isLocked { Task.onGLib { await self?.forget() } }
      }
      self?.lockObservation.withLock { $0 = observation }
    }
  }

  /// The default directory. Its names are fingerprints, so that no name of an app or a user appears in a path.
  package static func directory(for configuration: ChappieConfiguration) -> String {
    let slot = SlotIdentity(threadsOf: configuration)
    let app = [slot.service, slot.accessGroup ?? "", slot.appID ?? ""]
    return [
      Directories.data, "chappie", "threads", fingerprint(app, "org.chappie threads of an app"),
      fingerprint([slot.account], "org.chappie threads of an account"),
    ].joined(separator: "/")
  }

  private static func fingerprint(_ names: [String], _ purpose: String) -> String {
    KeyDerivation.fingerprint(of: Array(names.joined(separator: "\0").utf8), purpose: purpose)
  }

  @GLibActor
  private static func deviceName() throws -> String {
    do {
      return try ThreadKeyRegistry.deviceName()
    } catch let error as CredentialError {
      throw ChappieThreadStoreError(error)
    }
  }
}

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

  /// Creates a policy.
  public init(fileProtection: FileProtection = .complete) {
    self.fileProtection = fileProtection
  }

  /// Protection ``FileProtection/complete``.
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
