import GLibBridge
import Platform
import SecretMemory

/// The device key in a file of mode 0600 in the user's state directory. A sandbox sees that directory only by
/// permission.
///
/// Each use reads the file. A deleted key therefore opens nothing more, and no unused key stays in memory.
@GLibActor
struct DeviceKeyFile: DeviceKeySource {
  private nonisolated static let name = "device-key"

  let directory: StorageDirectory

  nonisolated var description: String { directory.path(of: Self.name) }

  func existing() async throws -> SecretBytes? {
    try await offActor { [self] in Result { try read() } }.get()
  }

  func made() async throws -> SecretBytes {
    try await offActor { [self] in Result { try read() ?? make() } }.get()
  }

  private nonisolated func read() throws(SecretStoreError) -> SecretBytes? {
    do {
      return try SecretFile.read(description, sizes: AEAD.keyLength...AEAD.keyLength)
    } catch {
      throw unavailable(error)
    }
  }

  private nonisolated func make() throws(SecretStoreError) -> SecretBytes {
    do {
      try directory.makeForDeviceKey()
    } catch {
      throw unavailable(error)
    }
    do {
      try SecretFile.create(AEAD.randomKey(), Self.name, in: directory)
      Log.notice("From now on credentials are sealed with a new key, because this device had none.")
    } catch .exists {
      // Another program has created the key first.
    } catch {
      throw unavailable(error)
    }
    guard let key = try read() else { throw unavailable(.missing) }
    return key
  }

  private nonisolated func unavailable(_ error: FileError) -> SecretStoreError {
    .unavailable("the key of this device in \(description) is of no use, for \(error)")
  }
}

extension StorageDirectory {
  /// The user's own directory for the keys of this device.
  static var deviceKeys: StorageDirectory { StorageDirectory(Directories.state + "/chappie") }

  /// Creates the directory if it is missing and excludes it from backups.
  ///
  /// - Throws: ``FileError``.
  func makeForDeviceKey() throws(FileError) {
    try make()
    try BackupExclusion.writeMarks(
      in: self, content: "Keys of Chappie for this device: in a backup they would be of no use but to thieves.")
  }
}
