import GLibBridge
import Platform
import SecretMemory

/// The device key in a file of mode 0600 in the user's state directory, which no sandbox has that was not given it.
///
/// It is read each time: a key that is gone opens nothing from that moment on, and none is in memory unused.
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
      Log.notice("What the keyring is given from now on is sealed with a new key: this device had none.")
    } catch .exists {
      // Another program was faster.
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
  /// The user's own, where keys of this device are.
  static var deviceKeys: StorageDirectory { StorageDirectory(Directories.state + "/chappie") }

  /// Makes the directory where it is missing, and has backups leave it out.
  ///
  /// - Throws: ``FileError``.
  func makeForDeviceKey() throws(FileError) {
    try make()
    try BackupExclusion.writeMarks(
      in: self, content: "Keys of Chappie for this device: in a backup they would be of no use but to thieves.")
  }
}
