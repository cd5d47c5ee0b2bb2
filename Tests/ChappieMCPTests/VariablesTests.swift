// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import SecretMemory
import Testing

@Suite struct VariablesTests {
  private func resolve(_ text: String) async throws -> String {
    try await Variables.resolve(text, environment: { ["A": "1", "B_2": "${A}"][$0] }) { name in
      SecretBytes(Array("secret of \(name)".utf8))
    }
  }

  @Test(arguments: [
    ("", ""), ("$A $$ {A} $", "$A $$ {A} $"), ("${A}", "1"), ("a${A}b${A}", "a1b1"),
    // A value is not read again.
    ("${B_2}", "${A}"), ("${C:-x}", "x"), ("${C:-}", ""), ("${A:-x}", "1"), ("${C:-a:-b}", "a:-b"),
    ("Bearer ${keyring:git-1}", "Bearer secret of git-1"),
  ])
  func aVariableHasItsValue(_ text: String, _ value: String) async throws {
    #expect(try await resolve(text) == value)
  }

  @Test(arguments: [
    "${C}", "${", "a${A", "${}", "${1}", "${A-x}", "${env:A}", "${input:a}", "${keyring:}", "${keyring:../a}",
    "${keyring:a b}", "${A\u{1B}}", "${workspaceFolder}",
  ])
  func anythingElseIsRefused(_ text: String) async throws {
    await #expect(throws: ToolsFileError.self) { try await resolve(text) }
  }

  @Test func aSecretInTheCommandIsRefused() async throws {
    let configuration = ChappieMCPConfiguration(name: "git", command: ["git", "${keyring:git}"])
    let error = await #expect(throws: ToolsFileError.self) {
      try await Variables.resolve(configuration) { _ in SecretBytes([]) }
    }
    #expect(error?.description.hasPrefix("The command of “git” has the secret “git”") == true)
  }

  @Test func aConfigurationIsResolvedAsAWhole() async throws {
    let configuration = ChappieMCPConfiguration(
      name: "git", command: ["git", "${A}"], environment: ["T": "${keyring:t}", "U": "u"])
    let resolved = try await Variables.resolve(configuration, environment: { _ in "a" }) { _ in
      SecretBytes(Array("s".utf8))
    }
    #expect(resolved.command == ["git", "a"])
    #expect(resolved.environment == ["T": "s", "U": "u"])
  }
}
