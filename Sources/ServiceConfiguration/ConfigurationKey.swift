// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import Platform

/// A key of `chappie/chappie.conf`. `data/chappie.conf` has its default, and chappied(8) says what it is for.
struct ConfigurationKey: Sendable {
  /// Nil for any name, of the user's choice.
  let name: String?
  /// What a value must be, for an error.
  let expected: String
  /// Whether a value is a regular expression: it has backslashes of its own in place of the escapes of key files, and
  /// no error shows it, because it may spell out what its user hides.
  var isPattern = false
  /// Stores the value of the key with a name. False if it cannot be its value.
  let store: @Sendable (_ options: inout ServiceOptions, _ name: String, _ value: String) -> Bool

  /// The keys of each group, in the order of the manual.
  static let groups: KeyValuePairs = [
    "Backend": [
      address("Issuer", \.issuer), address("BaseURL", \.baseURL), address("APIURL", \.apiURL),
      text("ClientID", \.clientID),
    ],
    "Client": [
      text("Model", \.model),
      word("Transport", \.defaults.streamingTransportPolicy, ["default": .default, "http-sse-only": .httpSSEOnly]),
    ],
    "Models": [
      ConfigurationKey(name: nil, expected: "the slug of a model, with a name of at most 64 bytes") {
        $0.models.add($1, $2)
      }
    ],
    "Lock": [word("Unknown", \.defaults.unknownLockPolicy, ["keyring": .keyring, "deny": .deny])],
    "Keyring": [
      word("DeviceKey", \.keyring.deviceKey, ["file": .file, "tpm2": .tpm2]),
      word("PlainSession", \.keyring.allowsPlainSessions, ["refuse": false, "allow": true]),
    ],
    "Threads": [
      word("Enabled", \.keepsThreads, ["true": true, "false": false]),
      amount("MaximumSize", of: "MiB", or: "unlimited", \.threadPolicy.retention.maximumTotalBytes) {
        Int64((Count($0 * 1_048_576) ?? .maximum).value)
      },
      amount("ArchiveAfter", of: "days", or: "never", \.threadPolicy.retention.archiveInactiveAfter) { $0 * 86_400 },
      amount("DeleteAfter", of: "days", or: "never", \.threadPolicy.retention.deleteArchivedAfter) { $0 * 86_400 },
      word(
        "Protection", \.threadPolicy.protection,
        [
          "complete": .complete,
          "complete-until-first-user-authentication": .completeUntilFirstUserAuthentication,
        ]),
    ],
    "Redaction": [fields("Drop", \.dropped), fields("Mask", \.masked)],
    "Redaction Patterns": [
      ConfigurationKey(name: nil, expected: "a regular expression", isPattern: true) {
        $0.patterns[$1] = $2
        return (try? ChappieThreadRedaction(patterns: [$2])) != nil
      }
    ],
    "Tools": [word("Enabled", \.allowsToolServers, ["true": true, "false": false])],
    "Notifications": [word("Enabled", \.showsNotifications, ["true": true, "false": false])],
  ]

  private typealias Path<Value> = any WritableKeyPath<ServiceOptions, Value> & Sendable

  /// Any text, unless the command line has given one.
  private static func text(
    _ name: String, _ path: Path<String?>, _ expected: String = "any text",
    where isValid: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> ConfigurationKey {
    ConfigurationKey(name: name, expected: expected) { options, _, value in
      guard options[keyPath: path] == nil else { return true }
      options[keyPath: path] = value
      return isValid(value)
    }
  }

  private static func address(_ name: String, _ path: Path<String?>) -> ConfigurationKey {
    text(name, path, "an HTTPS address (plain HTTP is for the loopback alone)") {
      (try? ChappieBackend(issuer: $0, baseURL: $0)) != nil
    }
  }

  /// One of some words.
  private static func word<Value: Sendable>(
    _ name: String, _ path: Path<Value>, _ words: KeyValuePairs<String, Value>
  ) -> ConfigurationKey {
    ConfigurationKey(name: name, expected: words.map(\.key).joined(separator: " or ")) { options, _, word in
      guard let value = words.first(where: { $0.key == word })?.value else { return false }
      options[keyPath: path] = value
      return true
    }
  }

  /// A number, or the word for none.
  private static func amount<Value>(
    _ name: String, of unit: String, or none: String, _ path: Path<Value?>,
    convert: @escaping @Sendable (Double) -> Value
  ) -> ConfigurationKey {
    ConfigurationKey(name: name, expected: "a number of \(unit) above 0, or \(none)") { options, _, value in
      // Nobody needs a pebibyte or a thousand million days. Less than ten bytes or a second is a mistake that would
      // delete everything.
      let number = Double(value).flatMap { $0 >= 1e-5 && $0 <= 1e9 ? $0 : nil }
      guard number != nil || value == none else { return false }
      options[keyPath: path] = number.map(convert)
      return true
    }
  }

  /// Parts of a thread, with `;` between them.
  private static func fields(_ name: String, _ path: Path<Set<ChappieThreadRedaction.Field>>) -> ConfigurationKey {
    let known = ChappieThreadRedaction.Field.allCases.map(\.rawValue).joined(separator: ", ")
    return ConfigurationKey(name: name, expected: "words of \(known), with ; between them") { options, _, value in
      let words = value.split(separator: ";").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
      let fields = words.compactMap(ChappieThreadRedaction.Field.init)
      options[keyPath: path] = Set(fields)
      return fields.count == words.count
    }
  }
}
