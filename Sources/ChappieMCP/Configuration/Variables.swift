// SPDX-License-Identifier: Apache-2.0
import Platform
import SecretMemory

/// The variables in commands and environments of servers: `${VAR}`, `${VAR:-default}`, and `${keyring:NAME}` for a secret
/// of the keyring.
package enum Variables {
  /// The secret of the keyring with this name.
  package typealias Keyring = (String) async throws -> SecretBytes

  /// A part of a text.
  package enum Part: Equatable {
    case text(String)
    case variable(name: String, fallback: String?)
    case secret(name: String)
  }

  private static let secretPrefix = "keyring:"
  private static let fallbackSign = ":-"

  /// Whether a text can be the name of an environment variable.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 256 else { return false }
    return text.utf8.allSatisfy(\.isNameByte) && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
  }

  /// The parts of a text.
  ///
  /// - Throws: ``ToolsFileError`` for a `${` that begins none of the forms.
  package static func parts(of text: String) throws(ToolsFileError) -> [Part] {
    var parts: [Part] = []
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      if start.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<start.lowerBound]))) }
      guard let end = rest[start.upperBound...].firstIndex(of: "}"),
        let part = part(rest[start.upperBound..<end])
      else {
        let shown = String(rest[start.lowerBound...].prefix(40)).terminalSafeLine
        throw ToolsFileError(
          translatable("“\(shown)” is no variable: write ${NAME}, ${NAME:-default} or ${keyring:NAME}."))
      }
      parts.append(part)
      rest = rest[end...].dropFirst()
    }
    return rest.isEmpty ? parts : parts + [.text(String(rest))]
  }

  /// The part between `${` and `}`; nil for another form.
  private static func part(_ text: Substring) -> Part? {
    if text.hasPrefix(secretPrefix) {
      let name = String(text.dropFirst(secretPrefix.count))
      return ChappieMCPConfiguration.isName(name) ? .secret(name: name) : nil
    }
    let fallback = text.firstRange(of: fallbackSign)
    let name = String(text[..<(fallback?.lowerBound ?? text.endIndex)])
    return isName(name) ? .variable(name: name, fallback: fallback.map { String(text[$0.upperBound...]) }) : nil
  }

  /// The text with the values of its variables.
  ///
  /// - Throws: ``ToolsFileError`` for a variable that is not set and has no default; the errors of `keyring`.
  package static func resolve(
    _ text: String, environment: (String) -> String? = CurrentProcess.environment, keyring: Keyring
  ) async throws -> String {
    var result = ""
    for part in try parts(of: text) {
      switch part {
      case .text(let text): result += text
      case .variable(let name, let fallback):
        guard let value = environment(name) ?? fallback else {
          throw ToolsFileError(
            en("The variable \(name) is not set: set it, or write ${\(name):-default}."))
        }
        result += value
      case .secret(let name):
        result += try await keyring(name).withBytes { String(decoding: $0, as: UTF8.self) }
      }
    }
    return result
  }

  /// The configuration with the values of all variables.
  ///
  /// - Throws: as ``resolve(_:environment:keyring:)``, and ``ToolsFileError`` for a secret in the command, which every
  ///   program can read while the server runs.
  package static func resolve(
    _ configuration: ChappieMCPConfiguration, environment: (String) -> String? = CurrentProcess.environment,
    keyring: Keyring
  ) async throws -> ChappieMCPConfiguration {
    var resolved = configuration
    for (index, argument) in configuration.command.enumerated() {
      resolved.command[index] = try await resolve(argument, environment: environment) { name in
        throw ToolsFileError(
          en(
            """
            The command of “\(configuration.name)” has the secret “\(name)”, which other programs could read: pass it in \
            a variable of the environment.
            """))
      }
    }
    for (name, value) in configuration.environment {
      let value = try await resolve(value, environment: environment, keyring: keyring)
      guard !value.utf8.contains(0) else {
        throw ToolsFileError(en("“\(configuration.name)” has a text with the character U+0000."))
      }
      resolved.environment[name] = value
    }
    return resolved
  }
}
