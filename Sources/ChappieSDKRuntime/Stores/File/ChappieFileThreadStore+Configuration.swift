import ChappieSDK
import GLibBridge
import SecretMemory

extension ChappieFileThreadStore {
  /// A store of the app and account that `configuration` names, with its key in the keyring beside their sign-in.
  ///
  /// - Parameters:
  ///   - directory: where the files are, for this store alone; by default in a directory of the app and account under
  ///     `$XDG_DATA_HOME/chappie/threads`.
  ///   - retentionPolicy: what is forgotten by itself.
  ///   - storagePolicy: when the files can be read.
  public convenience init(
    configuration: ChappieConfiguration = ChappieConfiguration(), directory: String? = nil,
    retentionPolicy: ChappieThreadStoreRetentionPolicy = .default,
    storagePolicy: ChappieFileThreadStoreStoragePolicy = .default
  ) {
    let closesWithLocks = storagePolicy.fileProtection == .complete
    self.init(
      directory: directory ?? Self.directory(for: configuration), device: { try await Self.deviceName() },
      keys: KeyringThreadKey(configuration, accessibility: storagePolicy.fileProtection.accessibility),
      retention: retentionPolicy, isShut: { closesWithLocks && OpenStores.isLocked })
    guard closesWithLocks else { return }
    Task.onGLib { [weak self] in
      if let self { OpenStores.add(self) }
    }
  }

  /// Both names are fingerprints: what an app or a user is called is no part of a path.
  package static func directory(for configuration: ChappieConfiguration) -> String {
    let slot = SlotIdentity(threadsOf: configuration)
    let app = [slot.service, slot.accessGroup ?? "", slot.appID ?? ""]
    return [
      Directories.data, "chappie", "threads", fingerprint(app, "org.chappie threads of an app"),
      fingerprint([slot.account], "org.chappie threads of an account"),
    ].joined(separator: "/")
  }

  private static func fingerprint(_ names: [String], _ purpose: String) -> String {
    SealedBytes.fingerprint(of: Array(names.joined(separator: "\0").utf8), purpose: purpose)
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
