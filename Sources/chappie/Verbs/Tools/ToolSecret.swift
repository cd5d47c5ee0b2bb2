// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import GLibBridge
import Glibc
import Platform
import SecretMemory

extension Verb {
  /// `chappie tools secret`: stores a secret for servers in the keyring.
  static let toolSecret = Verb(
    "secret", tr("Store a secret for servers in your keyring"),
    details: tr(
      """
      The secret is read from standard input; at a terminal it is not shown. A server gets it with --env \
      'VARIABLE=${keyring:NAME}', so it is in no file.
      """),
    flag("remove", tr("Remove it from the keyring")), word(tr("NAME"), tr("Which name is the secret to have?"))
  ) { removes, name in
    guard ChappieMCPConfiguration.isName(name) else {
      throw CommandLineError(tr("“\(name)” is no name of a secret: use 1 to 32 letters, digits, _ and -."))
    }
    return Work(local: {
      let secrets = ToolSecrets(interaction: .allowed)
      if removes {
        guard try await secrets.remove(name) > 0 else {
          throw CommandFailure(.failed, tr("The keyring has no secret “\(name)”."))
        }
        StandardStream.output.line(tr("Removed the secret “\(name)”."))
      } else {
        try await secrets.store(try await SecretInput().read(), as: name)
        StandardStream.output.line(tr("Stored the secret “\(name)”: ${keyring:\(name)} stands for it."))
      }
    })
  }
}

/// Reads a secret from standard input.
@GLibActor
private final class SecretInput {
  /// While it exists, the terminal does not show what is typed.
  private var typing: HiddenTyping?

  /// - Throws: ``CommandFailure`` if there is none, or if it is too long.
  func read() async throws -> SecretBytes {
    let bytes = StandardInput.isTerminal ? await readLine() : await offActor { Self.readAll() }
    guard let bytes, bytes.count <= ToolSecrets.sizeLimit else {
      throw CommandFailure(.usage, tr("The secret has more than \(ToolSecrets.sizeLimit) bytes."))
    }
    guard !bytes.isEmpty else { throw CommandFailure(.usage, tr("There is no secret: standard input is empty.")) }
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
      throw CommandFailure(.usage, tr("The secret is no text."))
    }
    return SecretBytes(bytes)
  }

  /// All of standard input, without a line feed at its end.
  private nonisolated static func readAll() -> [UInt8]? {
    guard var bytes = try? StandardInput.readAll(limit: ToolSecrets.sizeLimit + 1) else { return nil }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return bytes
  }

  private func readLine() async -> [UInt8] {
    typing = HiddenTyping()
    StandardStream.error.write(tr("Secret:") + " ")
    let interrupt = Task.onGLib {
      _ = await UnixSignals.first(of: [SIGINT, SIGTERM])
      guard !Task.isCancelled else { return }
      self.showTyping()
      exit(ExitStatus.interrupted.rawValue)
    }
    defer { interrupt.cancel() }
    let line = await offActor { StandardInput.line(limit: ToolSecrets.sizeLimit + 1) }
    showTyping()
    return Array((line ?? "").utf8)
  }

  private func showTyping() {
    typing = nil
    StandardStream.error.write("\n")
  }
}
