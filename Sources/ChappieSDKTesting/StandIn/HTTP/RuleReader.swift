// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials

/// An error in a scenario, or in a change of models or usage.
public struct StandInScenarioError: LocalizedError, Equatable, CustomStringConvertible {
  /// The error in a sentence. For a scenario, it names the number of the rule.
  public let description: String
  public var errorDescription: String? { description }
}

/// Reads the members of an object one by one. Those that remain at the end are unknown, or excluded by those that were
/// read: with a mistyped key a test could pass without testing anything.
final class RuleReader {
  private var members: [String: ChappieJSONValue]
  private var parts: [RuleReader] = []

  init(_ value: ChappieJSONValue) throws(StandInScenarioError) {
    guard let members = value.objectValue else { throw StandInScenarioError(description: "it is not an object") }
    self.members = members
  }

  /// Refuses the members that remain, also in parts.
  func end() throws(StandInScenarioError) {
    for part in parts { try part.end() }
    guard let key = members.keys.min() else { return }
    throw StandInScenarioError(description: "'\(key)' is unknown, or does not go with the other keys")
  }

  func take(_ key: String) -> ChappieJSONValue? {
    members.removeValue(forKey: key)
  }

  /// Reads a member; nil if it is missing.
  ///
  /// - Parameters:
  ///   - form: the values that the member may have, in words.
  ///   - convert: returns nil for any other value.
  func read<Value>(
    _ key: String, _ form: @autoclosure () -> String, _ convert: (ChappieJSONValue) -> Value?
  ) throws(StandInScenarioError) -> Value? {
    guard let value = take(key) else { return nil }
    guard let result = convert(value) else { throw StandInScenarioError(description: "'\(key)' must be \(form())") }
    return result
  }

  /// A member that is an object with known members.
  func part(_ key: String) throws(StandInScenarioError) -> RuleReader? {
    guard let value = take(key) else { return nil }
    return try part(of: value)
  }

  /// An object in a member that was taken.
  func part(of value: ChappieJSONValue) throws(StandInScenarioError) -> RuleReader {
    let part = try RuleReader(value)
    parts.append(part)
    return part
  }

  func string(_ key: String) throws(StandInScenarioError) -> String? {
    try read(key, "a string", \.stringValue)
  }

  func bool(_ key: String) throws(StandInScenarioError) -> Bool? {
    try read(key, "true or false", \.boolValue)
  }

  func integer(_ key: String, in range: ClosedRange<Int>) throws(StandInScenarioError) -> Int? {
    try read(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
      value.integerValue.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  func milliseconds(_ key: String) throws(StandInScenarioError) -> Duration? {
    try integer(key, in: 0...86_400_000).map { .milliseconds($0) }
  }

  func number(_ key: String, in range: ClosedRange<Double>) throws(StandInScenarioError) -> Double? {
    try read(key, "a number from \(range.lowerBound) to \(range.upperBound)") { value in
      value.numberValue.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  func choice<Choice: CaseIterable & RawRepresentable<String>>(_ key: String) throws(StandInScenarioError) -> Choice? {
    try read(key, "one of \(Choice.names)") { $0.stringValue.flatMap(Choice.init) }
  }

  func object(_ key: String) throws(StandInScenarioError) -> [String: ChappieJSONValue]? {
    try read(key, "an object", \.objectValue)
  }

  /// A list of objects, or of what else `isElement` accepts.
  func list(
    _ key: String, _ form: String = "a list of objects",
    of isElement: (ChappieJSONValue) -> Bool = { $0.objectValue != nil }
  ) throws(StandInScenarioError) -> [ChappieJSONValue]? {
    try read(key, form) { value in
      value.arrayValue.flatMap { $0.allSatisfy(isElement) ? $0 : nil }
    }
  }
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// The raw values, for an error.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
