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

  /// - Parameter form: the form that the field must have, for the error.
  private func value<Value>(
    _ name: String, _ form: String, _ read: (ChappieJSONValue) -> Value?
  ) throws(ChappieClientError) -> Value? {
    guard let value = self[name] else { return nil }
    guard let result = read(value) else { throw wrong(name, form) }
    return result
  }

  package func string(_ name: String) throws(ChappieClientError) -> String? {
    try value(name, "a string", \.stringValue)
  }

  package func name(_ name: String) throws(ChappieClientError) -> String {
    let text = try require(name, string(name))
    guard !text.isEmpty else { throw wrong(name, "a string that is not empty") }
    return text
  }

  /// A count, from 0 to 2^53.
  package func count(_ name: String) throws(ChappieClientError) -> Int? {
    try value(name, "a whole number, 0 or more") { $0.integerValue.flatMap { Count($0) }?.value }
  }

  /// A time in Unix seconds, between the years 1970 and 9999.
  package func time(_ name: String) throws(ChappieClientError) -> Int64? {
    try value(name, "a time between the years 1970 and 9999 in Unix seconds") {
      $0.integerValue.flatMap { Timestamp($0) }?.unixSeconds
    }
  }

  package func bool(_ name: String) throws(ChappieClientError) -> Bool? {
    try value(name, "true or false", \.boolValue)
  }

  package func object(_ name: String) throws(ChappieClientError) -> [String: ChappieJSONValue]? {
    try value(name, "an object", \.objectValue)
  }

  package func strings(_ name: String) throws(ChappieClientError) -> [String]? {
    try value(name, "an array of strings") {
      let texts = $0.arrayValue?.compactMap(\.stringValue)
      return texts?.count == $0.arrayValue?.count ? texts : nil
    }
  }

  /// The elements of an array of objects; `read` reads the fields of each.
  package func list<Element>(
    _ name: String, _ read: (JSONFields) throws(ChappieClientError) -> Element
  ) throws(ChappieClientError) -> [Element]? {
    var number = 0
    return try values(name) { (element) throws(ChappieClientError) in
      number += 1
      return try read(JSONFields(element, of: "number \(number) in \(part(name))"))
    }
  }

  /// The elements of an array; `read` reads each.
  package func values<Element>(
    _ name: String, _ read: (ChappieJSONValue) throws(ChappieClientError) -> Element
  ) throws(ChappieClientError) -> [Element]? {
    guard let elements = try value(name, "an array", \.arrayValue) else { return nil }
    var list: [Element] = []
    for element in elements { list.append(try read(element)) }
    return list
  }
}
