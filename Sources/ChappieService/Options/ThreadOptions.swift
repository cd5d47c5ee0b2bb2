import ChappieSDKRuntime
import GLibBridge
import Platform

/// The thread options of `chappie/chappie.conf`: `[Threads]`, `[Redaction]` and `[Redaction Patterns]`.
struct ThreadOptions: Sendable {
  private static let patternGroup = "Redaction Patterns"
  private static let keys = [
    ("Threads", "Enabled"), ("Threads", "MaximumSize"), ("Threads", "ArchiveAfter"), ("Threads", "DeleteAfter"),
    ("Threads", "Protection"),
    ("Redaction", "Drop"), ("Redaction", "Mask"),
  ]

  private var values: [String: String] = [:]
  /// Regular expressions by the user's names for them.
  private var patterns: [String: String] = [:]

  /// Adds the keys of `file` that no earlier file has.
  ///
  /// - Throws: ``StartFailure`` for an unknown key or an invalid value: redaction that is off unnoticed is worse
  ///   than a service that does not start.
  mutating func read(_ file: KeyFile) throws {
    for group in file.groupNames where group.lowercased().hasPrefix("redaction") {
      guard ["Redaction", Self.patternGroup].contains(group) else {
        throw StartFailure(
          description: "[\(group)] in the configuration must be [Redaction] or [\(Self.patternGroup)].")
      }
    }
    for group in ["Threads", "Redaction"] {
      try file.requireKeys(of: group, in: Self.keys.filter { $0.0 == group }.map(\.1))
    }
    for (group, key) in Self.keys where values["[\(group)] \(key)="] == nil {
      values["[\(group)] \(key)="] = try file.setting(group, key)
    }
    for name in file.keys(of: Self.patternGroup) where patterns[name] == nil {
      // The raw string, since a regular expression has its own backslashes.
      guard let pattern = file.rawString(Self.patternGroup, name) else {
        throw StartFailure(
          description: "[\(Self.patternGroup)] \(name)= in the configuration must be text in UTF-8.")
      }
      patterns[name] = pattern
    }
  }

  /// The policy of stored threads; nil if threads are off.
  ///
  /// - Throws: ``StartFailure`` for an invalid value.
  func policy() throws -> ThreadPolicy? {
    let key = "[Threads] Enabled="
    guard try Bool(setting: key, values[key]) else { return nil }
    return try ThreadPolicy(retention: retention(), protection: protection(), redaction: redaction())
  }

  private func protection() throws -> ChappieFileThreadStoreStoragePolicy.FileProtection {
    switch values["[Threads] Protection="] {
    case nil, "complete": .complete
    case "complete-until-first-user-authentication": .completeUntilFirstUserAuthentication
    case let other?:
      throw StartFailure(
        "[Threads] Protection=", "complete or complete-until-first-user-authentication", other)
    }
  }

  // MARK: Retention

  private func retention() throws -> ChappieThreadStoreRetentionPolicy {
    let standard = ChappieThreadStoreRetentionPolicy.default
    var policy = standard
    policy.maximumTotalBytes = try number(
      "[Threads] MaximumSize=", or: "unlimited", in: "MiB", standard.maximumTotalBytes
    ) { Int64((Count($0 * 1_048_576) ?? .maximum).value) }
    policy.archiveInactiveAfter = try number(
      "[Threads] ArchiveAfter=", or: "never", in: "days", standard.archiveInactiveAfter
    ) { $0 * 86_400 }
    policy.deleteArchivedAfter = try number(
      "[Threads] DeleteAfter=", or: "never", in: "days", standard.deleteArchivedAfter
    ) { $0 * 86_400 }
    return policy
  }

  /// Nil if the value is `none`.
  private func number<Number>(
    _ key: String, or none: String, in unit: String, _ standard: Number?, _ convert: (Double) -> Number
  ) throws -> Number? {
    guard let value = values[key] else { return standard }
    guard value != none else { return nil }
    // Nobody needs a pebibyte or a thousand million days. Less than ten bytes or a second is a mistake that would
    // delete everything.
    guard let number = Double(value), number >= 1e-5, number <= 1e9 else {
      throw StartFailure(key, "a number of \(unit) above 0, or \(none)", value)
    }
    return convert(number)
  }

  // MARK: Redaction

  /// Nil if redaction is off.
  private func redaction() throws -> ChappieThreadRedaction? {
    let drop = try fields("[Redaction] Drop=")
    let mask = try fields("[Redaction] Mask=")
    guard !drop.isEmpty || !mask.isEmpty || !patterns.isEmpty else { return nil }
    do {
      return try ChappieThreadRedaction(
        drop: drop, mask: mask, patterns: patterns.sorted { $0.key < $1.key }.map(\.value))
    } catch {
      throw StartFailure(description: "[\(Self.patternGroup)] in the configuration: \(error)")
    }
  }

  private func fields(_ key: String) throws -> Set<ChappieThreadRedaction.Field> {
    let words = (values[key] ?? "").split(separator: ";").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    return try Set(
      words.map { word in
        guard let field = ChappieThreadRedaction.Field(rawValue: word) else {
          let known = ChappieThreadRedaction.Field.allCases.map(\.rawValue).joined(separator: ", ")
          throw StartFailure(key, "words of \(known), with ; between them", word)
        }
        return field
      })
  }
}

/// The policy of stored threads.
struct ThreadPolicy: Sendable {
  let retention: ChappieThreadStoreRetentionPolicy
  /// The file protection for objects that need an unlocked desktop. Other objects have the weaker rule.
  let protection: ChappieFileThreadStoreStoragePolicy.FileProtection
  /// The redaction before every write; nil for none.
  let redaction: ChappieThreadRedaction?
}
