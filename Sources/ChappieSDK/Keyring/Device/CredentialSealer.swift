// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Runs systemd-creds(1), which encrypts a secret so that only this machine's TPM can decrypt it.
@GLibActor
struct CredentialSealer {
  /// A failure of systemd-creds. The reason is part of a sentence, and redacted.
  struct SystemdCredsError: Error {
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
  /// - Throws: ``SystemdCredsError``, also without a TPM; `GLibError` if systemd-creds cannot be asked for its version;
  ///   `CancellationError`.
  func encrypt(_ secret: SecretBytes) async throws -> SecretBytes {
    // A binding to a register of the firmware or of secure boot would lose the stored secrets after an update. Register
    // 23 is for applications and unused elsewhere. systemd 252 decrypts nothing without a register.
    let binding = try await usesSystem() ? ["--user"] : ["--with-key=tpm2", "--tpm2-pcrs=23"]
    let encrypted = try await run(["encrypt", Self.name] + binding, secret)
    guard Self.isBoundToTPM(encrypted) else {
      throw SystemdCredsError(reason: "this machine has no TPM that it can use")
    }
    return encrypted
  }

  /// Decrypts the result of ``encrypt(_:)``.
  ///
  /// - Throws: as ``encrypt(_:)``.
  func decrypt(_ encrypted: SecretBytes) async throws -> SecretBytes {
    try await run(["decrypt", Self.name] + (try await usesSystem() ? ["--user"] : []), encrypted)
  }

  private func run(_ arguments: [String], _ input: SecretBytes) async throws -> SecretBytes {
    do {
      let outcome = try await SecretFilter.run(
        Self.program, arguments + ["-", "-"], input: input, outputLimit: Self.outputLimit, deadline: Self.deadline)
      guard outcome.succeeded else { throw SystemdCredsError(reason: Redaction.message(outcome.errorMessage)) }
      return outcome.output
    } catch let error as GLibError {
      throw SystemdCredsError(reason: error.isTimeout ? "it does not answer" : error.message)
    }
  }

  /// Whether the system's service encrypts and decrypts.
  private func usesSystem() async throws -> Bool {
    guard !CurrentProcess.isRoot else { return false }
    let version = try await SecretFilter.run(
      Self.program, ["--version"], input: SecretBytes([]), outputLimit: Self.outputLimit, deadline: Self.deadline
    ).output.withBytes { String(decoding: $0, as: UTF8.self) }
    // Example: systemd 252 (252.38-1~deb12u1)
    return version.split(separator: " ").dropFirst().first.flatMap { Count(text: $0) }.map { $0 >= Self.firstWithUsers }
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
