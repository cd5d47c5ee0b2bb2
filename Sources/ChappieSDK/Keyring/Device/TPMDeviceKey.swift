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
      do {
        switch try await open() {
        case .key(let key): return key
        // It is not deleted, because the original TPM may come back.
        case .lost: try directory.rename(Self.name, to: Self.name + ".lost")
        case .none: break
        }
        let encrypted = try await SystemdCreds.encrypt(AEAD.randomKey())
        // Another program in another login may create the key first.
        if try directory.keepDeviceKey(encrypted, Self.name) {
          Log.notice("From now on credentials are sealed with a new key that the TPM protects.")
        }
      } catch let failure as SystemdCreds.Failure {
        throw unavailable("the TPM did not encrypt one (systemd-creds: \(failure.reason))")
      } catch let error as FileError {
        throw unavailable("\(error)")
      }
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
    let found = await offActor { Result { () throws(FileError) in try SecretFile.read(path, sizes: Self.sizes) } }
    guard let file = try found.mapError({ unavailable("\($0)") }).get() else { return .none }
    if let known, known.file.isEqual(to: file) { return known.state }
    let state = try await decrypt(file)
    known = (file, state)
    return state
  }

  private func decrypt(_ file: SecretBytes) async throws -> State {
    do {
      let key = try await SystemdCreds.decrypt(file)
      guard key.count == AEAD.keyLength else { throw unavailable("it holds no key") }
      return .key(key)
    } catch let failure as SystemdCreds.Failure {
      // An absent or busy TPM may decrypt the key later. A TPM that encrypts but does not decrypt the key never will.
      do {
        _ = try await SystemdCreds.encrypt(AEAD.randomKey())
      } catch is SystemdCreds.Failure {
        throw unavailable("the TPM did not open it (systemd-creds: \(failure.reason))")
      }
      Log.warning("The TPM no longer knows the key of this device: credentials that were sealed with it are lost.")
      return .lost
    }
  }

  private func unavailable(_ reason: String) -> SecretStoreError {
    .unavailable("the key of this device in \(description) is of no use now, for \(reason)")
  }
}

/// Runs systemd-creds(1), which encrypts a secret so that only this machine's TPM can decrypt it.
@GLibActor
private enum SystemdCreds {
  /// A failure of systemd-creds. The reason is part of a sentence, and redacted.
  struct Failure: Error {
    let reason: String
  }

  private static let program = "systemd-creds"
  private static let name = "--name=chappie-device-key"
  /// The longest time for each run. A busy TPM, for example during boot, takes seconds for a key.
  private static let deadline = Duration.seconds(30)
  /// The longest output of a run, in bytes.
  private static let outputLimit = 4096
  /// From this version of systemd on, a user other than root has the system's service encrypt, with `--user`. It binds
  /// the secret to the user, the host and the TPM together.
  private static let firstWithUsers: Count = 256

  /// Encrypts a secret.
  ///
  /// - Returns: the encrypted secret, as text in Base64.
  /// - Throws: ``Failure``, also without a TPM; `GLibError` if systemd-creds cannot be asked for its version;
  ///   `CancellationError`.
  static func encrypt(_ secret: SecretBytes) async throws -> SecretBytes {
    // A binding to a register of the firmware or of secure boot would lose the stored secrets after an update. Register
    // 23 is for applications and unused elsewhere. systemd 252 decrypts nothing without a register.
    let binding = try await usesSystem() ? ["--user"] : ["--with-key=tpm2", "--tpm2-pcrs=23"]
    let encrypted = try await run(["encrypt", name] + binding, secret)
    guard isBoundToTPM(encrypted) else {
      throw Failure(reason: "this machine has no TPM that it can use")
    }
    return encrypted
  }

  /// Decrypts the result of ``encrypt(_:)``.
  ///
  /// - Throws: as ``encrypt(_:)``.
  static func decrypt(_ encrypted: SecretBytes) async throws -> SecretBytes {
    try await run(["decrypt", name] + (try await usesSystem() ? ["--user"] : []), encrypted)
  }

  private static func run(_ arguments: [String], _ input: SecretBytes) async throws -> SecretBytes {
    do {
      let outcome = try await SecretFilter.run(
        program, arguments + ["-", "-"], input: input, outputLimit: outputLimit, deadline: deadline)
      guard outcome.succeeded else { throw Failure(reason: Redaction.message(outcome.errorMessage)) }
      return outcome.output
    } catch let error as GLibError {
      throw Failure(reason: error.isTimeout ? "it does not answer" : error.message)
    }
  }

  /// Whether the system's service encrypts and decrypts.
  private static func usesSystem() async throws -> Bool {
    guard !CurrentProcess.isRoot else { return false }
    let version = try await SecretFilter.run(
      program, ["--version"], input: SecretBytes([]), outputLimit: outputLimit, deadline: deadline
    ).output.withBytes { String(decoding: $0, as: UTF8.self) }
    // Example: systemd 252 (252.38-1~deb12u1)
    return version.split(separator: " ").dropFirst().first.flatMap { Count(text: $0) }.map { $0 >= firstWithUsers }
      ?? false
  }

  /// Whether only the TPM can decrypt. Without a TPM, systemd-creds may use another key. The first 16 bytes identify
  /// the kind of key.
  private static func isBoundToTPM(_ encrypted: SecretBytes) -> Bool {
    let text = encrypted.withBytes { $0.filter { $0 != .lineFeed } }
    guard let bytes = Base64.decode(text), bytes.count > 16 else { return false }
    let kind = bytes[..<16].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return kindsWithTPM.contains(kind)
  }

  /// The kinds that need the TPM, in hexadecimal: alone or with the host's key, with or without a signed policy of the
  /// machine, for the system or for one user.
  private static let kindsWithTPM: Set<String> = [
    "0c7cc07b117645919c4b0bea08bc20fe", "93a894094874449090caf2fc93cab553", "ef4ac13679a9480ea7db68897f9f165d",
    "af4950a849134eb1a73846304ff30c05", "adbc4ca3efb64201ba881b6f2e4095ea", "faf7eb9341e3412ca1a436f95a29362f",
  ]
}
