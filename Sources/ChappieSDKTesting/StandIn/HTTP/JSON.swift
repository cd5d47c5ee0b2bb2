// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import HTTPTestServer

/// An error in a scenario, or in a change of models or usage.
public struct StandInScenarioError: LocalizedError, Equatable, CustomStringConvertible {
  /// The error in a sentence. For a scenario, it names the number of the rule.
  public let description: String
  public var errorDescription: String? { description }
}

/// The values that a member of an object may have.
struct JSONForm: Sendable {
  /// The reason why a value does not fit, in a sentence; nil if it fits.
  let fault: @Sendable (_ key: String, _ value: ChappieJSONValue) -> String?

  /// - Parameter words: the values that fit, in words.
  init(_ words: String, _ fits: @escaping @Sendable (ChappieJSONValue) -> Bool) {
    self.init { key, value in fits(value) ? nil : "'\(key)' must be \(words)" }
  }

  private init(fault: @escaping @Sendable (String, ChappieJSONValue) -> String?) {
    self.fault = fault
  }

  static let any = JSONForm { _, _ in nil }
  static let string = JSONForm("a string") { $0.stringValue != nil }
  static let bool = JSONForm("true or false") { $0.boolValue != nil }
  static let object = JSONForm("an object") { $0.objectValue != nil }
  static let objects = JSONForm("a list of objects") { $0.arrayValue?.allSatisfy { $0.objectValue != nil } == true }
  static let objectsAndTexts = JSONForm("a list of objects and texts") {
    $0.arrayValue?.allSatisfy { $0.objectValue != nil || $0.stringValue != nil } == true
  }
  static let milliseconds = integer(0...86_400_000)

  static func integer(_ range: ClosedRange<Int>) -> JSONForm {
    JSONForm("a whole number from \(range.lowerBound) to \(range.upperBound)") {
      $0.wholeNumber.map(range.contains) == true
    }
  }

  static func number(_ range: ClosedRange<Double>) -> JSONForm {
    JSONForm("a number from \(range.lowerBound) to \(range.upperBound)") {
      $0.numberValue.map(range.contains) == true
    }
  }

  static func choice<Choice: CaseIterable & RawRepresentable<String>>(of _: Choice.Type) -> JSONForm {
    one(of: Choice.allCases.map(\.rawValue))
  }

  static func one(of names: [String]) -> JSONForm {
    JSONForm("one of \(names.joined(separator: ", "))") { $0.stringValue.map(names.contains) == true }
  }

  /// A list of values of one form.
  static func list(of form: JSONForm) -> JSONForm {
    JSONForm { key, value in
      guard let elements = value.arrayValue else { return "'\(key)' must be a list" }
      return elements.lazy.compactMap { form.fault(key, $0) }.first
    }
  }

  /// An object with no other members than these: with a mistyped key a test could pass without testing anything.
  ///
  /// - Parameters:
  ///   - required: a member that may not be missing.
  ///   - exclusive: pairs of members of which the first excludes the second.
  static func members(
    _ forms: [String: JSONForm], required: String? = nil, exclusive: [(String, String)] = []
  ) -> JSONForm {
    JSONForm { key, value in
      guard let members = value.objectValue else { return "'\(key)' is not an object" }
      if let required, members[required] == nil { return "'\(key)' needs '\(required)'" }
      let excluded = exclusive.filter { members[$0.0] != nil }.map(\.1)
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        guard let form = forms[name], !excluded.contains(name) else {
          return "'\(name)' is unknown, or does not go with the other keys"
        }
        if let fault = form.fault(name, member) { return fault }
      }
      return nil
    }
  }

  var orNull: JSONForm { JSONForm { key, value in value.isNull ? nil : fault(key, value) } }

  /// Refuses a value that does not fit.
  func check(_ value: ChappieJSONValue, as name: String) throws(StandInScenarioError) {
    if let fault = fault(name, value) { throw StandInScenarioError(description: fault) }
  }
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// The raw values, for an error.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension ChappieJSONValue {
  /// The value that a body holds; `null` if it is not JSON.
  init(body: [UInt8]) {
    self = (try? ChappieJSONValue(parsing: body.span)) ?? .null
  }

  var wholeNumber: Int? { integerValue.flatMap { Int(exactly: $0) } }
}

typealias HeaderFields = [(name: String, value: String)]

extension HTTPServerRequest {
  /// The body; `null` if it is not JSON.
  var json: ChappieJSONValue { ChappieJSONValue(body: body) }
}

extension HTTPServerResponse {
  static func json(_ value: ChappieJSONValue, status: Int = 200, headers: HeaderFields = []) -> HTTPServerResponse {
    HTTPServerResponse(status: status, type: "application/json", value.json, headers: headers)
  }

  /// A refusal in the form of the issuer and of most of the backend.
  ///
  /// - Parameter param: the parameter to which it applies.
  static func error(_ status: Int, _ code: String, _ message: String, param: String? = nil) -> HTTPServerResponse {
    let error: ChappieJSONValue = [
      "message": .string(message), "type": "invalid_request_error", "param": param.map { .string($0) } ?? .null,
      "code": .string(code),
    ]
    return .json(["error": error], status: status)
  }

  /// A refusal in the form of OAuth.
  static func oauthError(
    _ code: String, _ description: String, status: Int = 400, headers: HeaderFields = []
  ) -> HTTPServerResponse {
    .json(["error": .string(code), "error_description": .string(description)], status: status, headers: headers)
  }

  /// A refusal in the form of the backend's own checks.
  static func detail(_ text: String, status: Int = 400) -> HTTPServerResponse {
    .json(["detail": .string(text)], status: status)
  }

  /// Replaces members of the JSON object in the body; `null` removes one.
  mutating func replaceMembers(_ changes: [String: ChappieJSONValue]) {
    guard !changes.isEmpty, let members = ChappieJSONValue(body: body).objectValue else { return }
    body = ChappieJSONValue.object(members.merging(changes) { $1 }.filter { $0.value != .null }).encoded
  }
}
