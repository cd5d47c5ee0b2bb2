import GLibBridge

/// Keys of `chappie/chappie.conf`. None of them fails open: an invalid value is an error.
extension KeyFile {
  /// The value of a key; nil if the file has no such key.
  ///
  /// - Throws: ``StartFailure`` for a value that cannot be read.
  func setting(_ group: String, _ key: String) throws -> String? {
    guard has(group, key) else { return nil }
    guard let value = string(group, key) else {
      throw StartFailure(
        description: "[\(group)] \(key)= in the configuration must be text in UTF-8 with \\\\ for each backslash.")
    }
    return value
  }

  /// - Throws: ``StartFailure`` for a key of `group` that is not in `keys`.
  func requireKeys(of group: String, in keys: [String]) throws {
    for key in self.keys(of: group) where !keys.contains(key) {
      throw StartFailure(
        description: "[\(group)] \(key)= in the configuration is no key: the keys are "
          + "\(keys.map { $0 + "=" }.joined(separator: ", ")).")
    }
  }
}

/// The reason for which the service could not start, as a sentence.
public struct StartFailure: Error, CustomStringConvertible {
  public let description: String
}

extension StartFailure {
  /// - Parameter key: with its group, as `[Group] Key=`.
  init(_ key: String, _ expected: String, _ value: String) {
    self.init(description: "\(key) in the configuration must be \(expected), not “\(value)”.")
  }
}

extension Bool {
  /// The value of a key; true by default.
  ///
  /// - Throws: ``StartFailure`` for anything but `true` and `false`.
  init(setting key: String, _ value: String?) throws {
    switch value {
    case nil, "true": self = true
    case "false": self = false
    case let other?: throw StartFailure(key, "true or false", other)
    }
  }
}
