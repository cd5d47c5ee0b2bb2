// SPDX-License-Identifier: Apache-2.0
import Platform

/// The fields of a JSON object. Null counts as missing, and unknown fields are ignored.
package struct JSONFields {
  /// The subject of the object for errors, such as "the harness".
  private let subject: String
  private let members: [String: ChappieJSONValue]

  package init(_ value: ChappieJSONValue, of subject: String) throws(ChappieClientError) {
    guard let members = value.objectValue else { throw .invalidArgument("In \(subject), a JSON object is expected.") }
    self.subject = subject
    self.members = members
  }

  package subscript(name: String) -> ChappieJSONValue? {
    members[bytesOf: name].flatMap { $0.isNull ? nil : $0 }
  }

  /// The subject of the field `name` for errors.
  package func part(_ name: String) -> String { "'\(name)' of \(subject)" }

  package func require<Value>(_ name: String, _ value: Value?) throws(ChappieClientError) -> Value {
    guard let value else { throw .invalidArgument("The field '\(name)' of \(subject) is missing.") }
    return value
  }

  package func wrong(_ name: String, _ form: String) -> ChappieClientError {
    .invalidArgument("The field '\(name)' of \(subject) must be \(form).")
  }

  package func string(_ name: String) throws(ChappieClientError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.stringValue else { throw wrong(name, "a string") }
    return text
  }

  package func name(_ name: String) throws(ChappieClientError) -> String {
    let text = try require(name, string(name))
    guard !text.isEmpty else { throw wrong(name, "a string that is not empty") }
    return text
  }

  /// A count, from 0 to 2^53.
  package func count(_ name: String) throws(ChappieClientError) -> Int? {
    guard let value = self[name] else { return nil }
    guard let count = value.integerValue.flatMap({ Count($0) }) else { throw wrong(name, "a whole number, 0 or more") }
    return count.value
  }

  /// A time in Unix seconds, between the years 1970 and 9999.
  package func time(_ name: String) throws(ChappieClientError) -> Int64? {
    guard let value = self[name] else { return nil }
    guard let time = value.integerValue.flatMap({ Timestamp($0) }) else {
      throw wrong(name, "a time between the years 1970 and 9999 in Unix seconds")
    }
    return time.unixSeconds
  }

  package func bool(_ name: String) throws(ChappieClientError) -> Bool? {
    guard let value = self[name] else { return nil }
    guard let bool = value.boolValue else { throw wrong(name, "true or false") }
    return bool
  }

  package func object(_ name: String) throws(ChappieClientError) -> [String: ChappieJSONValue]? {
    guard let value = self[name] else { return nil }
    guard let members = value.objectValue else { throw wrong(name, "an object") }
    return members
  }

  package func strings(_ name: String) throws(ChappieClientError) -> [String]? {
    guard let value = self[name] else { return nil }
    let texts = (value.arrayValue ?? []).compactMap(\.stringValue)
    guard texts.count == value.arrayValue?.count else { throw wrong(name, "an array of strings") }
    return texts
  }

  /// The elements of an array of objects; `read` reads the fields of each.
  package func list<Element>(
    _ name: String, _ read: (JSONFields) throws(ChappieClientError) -> Element
  ) throws(ChappieClientError) -> [Element]? {
    guard let value = self[name] else { return nil }
    guard let elements = value.arrayValue else { throw wrong(name, "an array") }
    var list: [Element] = []
    for (index, element) in elements.enumerated() {
      list.append(try read(JSONFields(element, of: "number \(index + 1) in \(part(name))")))
    }
    return list
  }

  /// The elements of an array; `read` reads each. Empty if the field is missing.
  package func values<Element>(
    _ name: String, _ read: (ChappieJSONValue) throws(ChappieClientError) -> Element
  ) throws(ChappieClientError) -> [Element] {
    guard let value = self[name] else { return [] }
    guard let elements = value.arrayValue else { throw wrong(name, "an array") }
    var list: [Element] = []
    for element in elements { list.append(try read(element)) }
    return list
  }
}
