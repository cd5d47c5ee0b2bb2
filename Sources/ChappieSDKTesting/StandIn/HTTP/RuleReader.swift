import ChappieSDK

/// Reads the members of an object one by one. Those that remain at the end are unknown, or excluded by those that were
/// read: with a mistyped key a test could pass without testing anything.
struct RuleReader {
  struct Problem: Error {
    let text: String
  }

  private var members: [String: ChappieJSONValue]

  /// Reads all members of an object.
  static func all<Value>(
    of value: ChappieJSONValue, _ read: (inout RuleReader) throws(Problem) -> Value
  ) throws(Problem) -> Value {
    guard let members = value.objectValue else { throw Problem(text: "it is not an object") }
    var reader = RuleReader(members: members)
    let result = try read(&reader)
    if let key = reader.members.keys.min() {
      throw Problem(text: "'\(key)' is unknown, or does not go with the other keys")
    }
    return result
  }

  mutating func take(_ key: String) -> ChappieJSONValue? {
    members.removeValue(forKey: key)
  }

  /// Reads a member; nil if it is missing.
  ///
  /// - Parameters:
  ///   - form: the values that the member may have, in words.
  ///   - convert: returns nil for any other value.
  mutating func read<Value>(
    _ key: String, _ form: @autoclosure () -> String, _ convert: (ChappieJSONValue) -> Value?
  ) throws(Problem) -> Value? {
    guard let value = take(key) else { return nil }
    guard let result = convert(value) else { throw Problem(text: "'\(key)' must be \(form())") }
    return result
  }

  /// Reads a member that is an object with known members.
  mutating func part<Value>(
    _ key: String, _ read: (inout RuleReader) throws(Problem) -> Value
  ) throws(Problem) -> Value? {
    guard let value = take(key) else { return nil }
    return try Self.all(of: value, read)
  }

  mutating func string(_ key: String) throws(Problem) -> String? {
    try read(key, "a string", \.stringValue)
  }

  mutating func bool(_ key: String) throws(Problem) -> Bool? {
    try read(key, "true or false", \.boolValue)
  }

  mutating func integer(_ key: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    try read(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
      value.integerValue.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func milliseconds(_ key: String) throws(Problem) -> Duration? {
    try integer(key, in: 0...86_400_000).map { .milliseconds($0) }
  }

  mutating func number(_ key: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
    try read(key, "a number from \(range.lowerBound) to \(range.upperBound)") { value in
      value.numberValue.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(_ key: String) throws(Problem) -> Choice? {
    try read(key, "one of \(Choice.names)") { $0.stringValue.flatMap(Choice.init) }
  }

  mutating func object(_ key: String) throws(Problem) -> [String: ChappieJSONValue]? {
    try read(key, "an object", \.objectValue)
  }

  mutating func objects(_ key: String) throws(Problem) -> [ChappieJSONValue]? {
    try list(key, "a list of objects") { $0.objectValue != nil }
  }

  /// Reads a list of messages: an object is an event, and a string is sent as it is.
  mutating func frames(_ key: String) throws(Problem) -> [ChappieJSONValue] {
    try list(key, "a list of objects and texts") { $0.objectValue != nil || $0.stringValue != nil } ?? []
  }

  private mutating func list(
    _ key: String, _ form: String, of isElement: (ChappieJSONValue) -> Bool
  ) throws(Problem) -> [ChappieJSONValue]? {
    try read(key, form) { value in
      value.arrayValue.flatMap { $0.allSatisfy(isElement) ? $0 : nil }
    }
  }
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// The raw values, for an error.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
