import GLibBridge
import Platform

/// The keywords of the current schema, by their required form.
extension SchemaReader {
  private func wrong(_ name: String, _ form: String) -> SchemaError {
    var place = path
    place.enter(.key(name))
    return SchemaError(place, "must be \(form)")
  }

  // MARK: Forms

  func string(_ name: String) throws(SchemaError) -> String? {
    guard let value = keywords[name] else { return nil }
    guard let text = value.stringValue else { throw wrong(name, "a string") }
    return text
  }

  func number(_ name: String) throws(SchemaError) -> Double? {
    guard let value = keywords[name] else { return nil }
    guard let number = value.numberValue else { throw wrong(name, "a number") }
    return number
  }

  func positive(_ name: String) throws(SchemaError) -> Double? {
    guard let number = try number(name) else { return nil }
    guard number > 0 else { throw wrong(name, "a number above 0") }
    return number
  }

  func range(_ least: String, _ most: String) throws(SchemaError) -> SchemaRange {
    SchemaRange(least: try count(least) ?? 0, most: try count(most))
  }

  private func count(_ name: String) throws(SchemaError) -> Int? {
    guard let value = keywords[name] else { return nil }
    guard let count = value.integerValue.flatMap({ Count($0) }) else { throw wrong(name, "a whole number, 0 or more") }
    return count.value
  }

  func array(_ name: String) throws(SchemaError) -> [ChappieJSONValue] {
    guard let value = keywords[name] else { return [] }
    guard let elements = value.arrayValue else { throw wrong(name, "an array") }
    return elements
  }

  func object(_ name: String) throws(SchemaError) -> [String: ChappieJSONValue] {
    guard let value = keywords[name] else { return [:] }
    guard let members = value.objectValue else { throw wrong(name, "an object") }
    return members
  }

  func strings(_ name: String) throws(SchemaError) -> [String] {
    var strings: [String] = []
    for element in try array(name) {
      guard let text = element.stringValue else { throw wrong(name, "an array of strings") }
      strings.append(text)
    }
    return strings
  }

  // MARK: Single keywords

  /// A single type or a list of them.
  func types() throws(SchemaError) -> [SchemaType] {
    let names = if let name = keywords["type"]?.stringValue { [name] } else { try strings("type") }
    var types: [SchemaType] = []
    for name in names {
      guard let type = SchemaType(rawValue: name) else {
        throw wrong("type", "object, array, string, integer, number, boolean or null")
      }
      if !types.contains(type) { types.append(type) }
    }
    return types
  }

  /// The values of `enum`, or the one of `const`; those of both when there are both.
  func choices() throws(SchemaError) -> SchemaChoices? {
    let listed = keywords["enum"] == nil ? nil : SchemaChoices(try array("enum"))
    guard let constant = keywords["const"] else { return listed }
    return SchemaChoices(listed?.contains(constant) == false ? [] : [constant])
  }

  /// A pattern that is a valid regular expression.
  func pattern() throws(SchemaError) -> String? {
    guard let text = try string("pattern") else { return nil }
    do {
      _ = try BoundedPattern(text)
    } catch {
      throw wrong("pattern", "a regular expression")
    }
    return text
  }
}
