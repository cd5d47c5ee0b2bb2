import GLibBridge
import Platform
import SecretMemory

/// systemd-creds(1), which encrypts a secret so that only this machine's TPM opens it.
@GLibActor
struct CredentialSealer {
  /// Why it did not do what it was asked for.
  struct Failure: Error {
    let reason: String
  }

  private static let program = "systemd-creds"
  private static let name = "--name=chappie-device-key"
  /// A TPM that is busy, as at the start of a machine, takes seconds for a key.
  private static let deadline = Duration.seconds(30)
  private static let outputLimit = 4096
  /// From this version on, who is not root asks the system's instance, which binds to user, host and TPM together.
  private static let firstWithUsers = 256

  /// - Throws: ``Failure``, `CancellationError`.
  func encrypt(_ secret: SecretBytes) async throws -> SecretBytes {
    // No register that a change of firmware or of secure boot changes: that would lose what is stored. Register 23 is
    // for applications, and nobody's before; systemd 252 opens nothing that is bound to no register.
    let binding = try await usesSystem() ? ["--user"] : ["--with-key=tpm2", "--tpm2-pcrs=23"]
    let encrypted = try await run(["encrypt", Self.name] + binding, secret)
    guard Self.isBoundToTPM(encrypted) else { throw Failure(reason: "this machine has no TPM that it can use") }
    return encrypted
  }

  /// - Throws: as ``encrypt(_:)``.
  func decrypt(_ encrypted: SecretBytes) async throws -> SecretBytes {
    try await run(["decrypt", Self.name] + (try await usesSystem() ? ["--user"] : []), encrypted)
  }

  private func run(_ arguments: [String], _ input: SecretBytes) async throws -> SecretBytes {
    do {
      let outcome = try await SecretFilter.run(
        Self.program, arguments + ["-", "-"], input: input, outputLimit: Self.outputLimit, deadline: Self.deadline)
      guard outcome.succeeded else { throw Failure(reason: Redaction.message(outcome.errorMessage)) }
      return outcome.output
    } catch let error as GLibError {
      throw Failure(reason: error.isTimeout ? "it does not answer" : error.message)
    }
  }

  private func usesSystem() async throws -> Bool {
    guard !CurrentProcess.isRoot else { return false }
    let version = try await SecretFilter.run(
      Self.program, ["--version"], input: SecretBytes([]), outputLimit: Self.outputLimit, deadline: Self.deadline
    ).output.withBytes { String(decoding: $0, as: UTF8.self) }
    // systemd 252 (252.38-1~deb12u1)
    return version.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 >= Self.firstWithUsers }
      ?? false
  }

  /// Where there is no TPM, systemd-creds may take something else: the first 16 bytes say what it took.
  private static func isBoundToTPM(_ encrypted: SecretBytes) -> Bool {
    let text = encrypted.withBytes { $0.filter { $0 != .lineFeed } }
    guard let bytes = Base64.decode(text), bytes.count > 16 else { return false }
    let kind = bytes[..<16].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return kindsWithTPM.contains(kind)
  }

  /// The TPM alone, and with the host's key, for the system and for a user.
  private static let kindsWithTPM: Set<String> = [
    "0c7cc07b117645919c4b0bea08bc20fe", "93a894094874449090caf2fc93cab553", "ef4ac13679a9480ea7db68897f9f165d",
    "af4950a849134eb1a73846304ff30c05", "adbc4ca3efb64201ba881b6f2e4095ea", "faf7eb9341e3412ca1a436f95a29362f",
  ]
}
