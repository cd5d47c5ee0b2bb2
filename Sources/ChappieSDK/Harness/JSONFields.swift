/// The fields of a JSON object that describes something. Null counts as missing, unknown fields are ignored.
struct JSONFields {
  /// What the object describes, for errors: such as "the harness".
  private let subject: String
  private let members: [String: ChappieJSONValue]

  init(_ value: ChappieJSONValue, of subject: String) throws(ChappieClientError) {
    guard let members = value.objectValue else { throw .invalidArgument("In \(subject), a JSON object is expected.") }
    self.subject = subject
    self.members = members
  }

  subscript(name: String) -> ChappieJSONValue? {
    members[name].flatMap { $0.isNull ? nil : $0 }
  }

  /// What the field `name` describes.
  func part(_ name: String) -> String { "'\(name)' of \(subject)" }

  func require<Value>(_ name: String, _ value: Value?) throws(ChappieClientError) -> Value {
    guard let value else { throw .invalidArgument("The field '\(name)' of \(subject) is missing.") }
    return value
  }

  func wrong(_ name: String, _ form: String) -> ChappieClientError {
    .invalidArgument("The field '\(name)' of \(subject) must be \(form).")
  }

  func string(_ name: String) throws(ChappieClientError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.stringValue else { throw wrong(name, "a string") }
    return text
  }

  func name(_ name: String) throws(ChappieClientError) -> String {
    let text = try require(name, string(name))
    guard !text.isEmpty else { throw wrong(name, "a string that is not empty") }
    return text
  }

  func object(_ name: String) throws(ChappieClientError) -> [String: ChappieJSONValue]? {
    guard let value = self[name] else { return nil }
    guard let members = value.objectValue else { throw wrong(name, "an object") }
    return members
  }

  func strings(_ name: String) throws(ChappieClientError) -> [String]? {
    guard let value = self[name] else { return nil }
    let texts = (value.arrayValue ?? []).compactMap(\.stringValue)
    guard texts.count == value.arrayValue?.count else { throw wrong(name, "an array of strings") }
    return texts
  }

  /// The elements of an array, each read by `read` with its own fields.
  func list<Element>(
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
}
