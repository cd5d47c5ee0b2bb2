// SPDX-License-Identifier: Apache-2.0
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
    try await onFile { try read() }
  }

  func made() async throws -> SecretBytes {
    try await onFile { try read() ?? make() }
  }

  private func onFile<Key: Sendable>(_ body: @escaping @Sendable () throws -> Key) async throws -> Key {
    try await offActor { Result { try body() } }.mapError {
      SecretStoreError.unavailable("the key of this device in \(description) is of no use, for \($0)")
    }.get()
  }

  private nonisolated func read() throws(FileError) -> SecretBytes? {
    try SecretFile.read(description, sizes: AEAD.keyLength...AEAD.keyLength)
  }

  private nonisolated func make() throws(FileError) -> SecretBytes {
    if try directory.keepDeviceKey(AEAD.randomKey(), Self.name) {
      Log.notice("From now on credentials are sealed with a new key, because this device had none.")
    }
    guard let key = try read() else { throw .missing }
    return key
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

  /// Keeps a new key in a file.
  ///
  /// - Returns: false if another program has created the file first.
  /// - Throws: ``FileError``.
  func keepDeviceKey(_ key: SecretBytes, _ name: String) throws(FileError) -> Bool {
    try makeForDeviceKey()
    do {
      try SecretFile.create(key, name, in: self)
      return true
    } catch .exists {
      return false
    }
  }
}

/// The place of this device's random key. That key and the machine id form the key that seals secrets in the keyring.
package enum DeviceKeyPlace: String, Sendable, Hashable, CaseIterable {
  /// A file that only the user can read.
  case file
  /// A file that only this machine's TPM can decrypt.
  case tpm2
}

/// One place of a device key.
@GLibActor
protocol DeviceKeySource: Sendable {
  /// The place of the key for messages, such as its path.
  nonisolated var description: String { get }

  /// Returns the key. Nil when none exists.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when the key cannot be read now or something else is in its place,
  ///   `CancellationError`.
  func existing() async throws -> SecretBytes?

  /// Returns the key and creates it if none exists. Programs that do so at the same time get the same key.
  ///
  /// - Throws: as ``existing()``, and when no key can be stored.
  func made() async throws -> SecretBytes
}

/// The id of this machine. Every program here can read it.
enum MachineID {
  @GLibActor private static var known: [UInt8]?

  /// Returns the id. The first call reads it.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when this machine has no id.
  @GLibActor
  static func read() throws -> [UInt8] {
    if let known { return known }
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let bytes = try? Files.read(path, limit: 1 << 10) else { continue }
      let id = bytes.prefix { $0 != .lineFeed }
      if id.count == 32 {
        known = Array(id)
        return Array(id)
      }
    }
    throw SecretStoreError.unavailable("this machine has no id in /etc/machine-id to bind the sign-in to")
  }

  /// Returns a name for this machine that does not reveal its id.
  ///
  /// - Throws: as ``read()``.
  @GLibActor
  static func name() throws -> String {
    KeyDerivation.fingerprint(of: try read(), purpose: "org.chappie device name")
  }
}
