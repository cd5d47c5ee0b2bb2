// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The device key in a file that only this machine's TPM can decrypt. After the first use the key stays in guarded
/// memory, because a TPM takes a tenth of a second or more.
@GLibActor
final class TPMDeviceKey: DeviceKeySource {
  private nonisolated static let name = "device-key.tpm2"
  private nonisolated static let sizes = 64...SecretFilter.inputLimit
  /// Longer than the creation of a key can take.
  private static let lockDeadline = Duration.seconds(180)

  private let directory: StorageDirectory
  private let sealer = CredentialSealer()
  private let mutex = AsyncMutex()
  private var known: (file: SecretBytes, state: State)?

  private enum State {
    case none
    case key(SecretBytes)
    /// The TPM works but cannot decrypt the key: it was cleared, or the file is from another machine.
    case lost
  }

  init(directory: StorageDirectory) {
    self.directory = directory
  }

  nonisolated var description: String { directory.path(of: Self.name) }

  func existing() async throws -> SecretBytes? {
    try await mutex.withLock {
      if case .key(let key) = try await open() { key } else { nil }
    }
  }

  func made() async throws -> SecretBytes {
    try await mutex.withLock {
      if case .key(let key) = try await open() { return key }
      // Several programs may want the first key, but only one creates it.
      let lock = try await lock()
      defer { withExtendedLifetime(lock) {} }
      switch try await open() {
      case .key(let key): return key
      case .lost: try putAside()
      case .none: break
      }
      try await make()
      guard case .key(let key) = try await open() else {
        throw unavailable("the TPM does not open what it has just encrypted")
      }
      return key
    }
  }

  private func lock() async throws -> FileLock {
    do {
      let runtime = Directories.runtime + "/chappie"
      try Files.makeDirectory(runtime)
      return try await FileLock.take(runtime + "/device-key.lock", deadline: Self.lockDeadline)
    } catch let error as FileError {
      throw unavailable("it cannot be locked (\(error))")
    }
  }

  // MARK: The file

  private func open() async throws -> State {
    let path = description
    let file: SecretBytes
    do {
      let found = await offActor {
        Result { () throws(FileError) in try SecretFile.read(path, sizes: Self.sizes) }
      }
      guard let content = try found.get() else { return .none }
      file = content
    } catch {
      throw unavailable("\(error)")
    }
    if let known, known.file.isEqual(to: file) { return known.state }
    let state = try await decrypt(file)
    known = (file, state)
    return state
  }

  private func decrypt(_ file: SecretBytes) async throws -> State {
    do {
      let key = try await sealer.decrypt(file)
      guard key.count == AEAD.keyLength else { throw unavailable("it holds no key") }
      return .key(key)
    } catch let failure as CredentialSealer.SystemdCredsError {
      // An absent or busy TPM may decrypt the key later. A TPM that encrypts but does not decrypt the key never will.
      do {
        _ = try await sealer.encrypt(AEAD.randomKey())
      } catch is CredentialSealer.SystemdCredsError {
        throw unavailable("the TPM did not open it (systemd-creds: \(failure.reason))")
      }
      Log.warning("The TPM no longer knows the key of this device: credentials that were sealed with it are lost.")
      return .lost
    }
  }

  private func make() async throws {
    let encrypted: SecretBytes
    do {
      encrypted = try await sealer.encrypt(AEAD.randomKey())
    } catch let failure as CredentialSealer.SystemdCredsError {
      throw unavailable("the TPM did not encrypt one (systemd-creds: \(failure.reason))")
    }
    do {
      try directory.makeForDeviceKey()
      try SecretFile.create(encrypted, Self.name, in: directory)
      Log.notice("From now on credentials are sealed with a new key that the TPM protects.")
    } catch .exists {
      // Another program in another login has created the key first.
    } catch {
      throw unavailable("\(error)")
    }
  }

  /// Renames a key that this TPM cannot decrypt. It is not deleted, because the original TPM may come back.
  private func putAside() throws {
    do {
      try directory.rename(Self.name, to: Self.name + ".lost")
    } catch {
      throw unavailable("\(error)")
    }
  }

  private func unavailable(_ reason: String) -> SecretStoreError {
    .unavailable("the key of this device in \(description) is of no use now, for \(reason)")
  }
}
