/// The header fields of a message. Names are compared without regard to case.
public struct HTTPHeaders: Sendable {
  private var fields: [(name: String, value: String)] = []

  public init() {}

  public mutating func append(_ name: String, _ value: String) {
    fields.append((name.lowercased(), value))
  }

  /// The first value of `name`.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name == name }?.value
  }

  /// The names in lower case, in the order in which they came.
  public var names: [String] { fields.map(\.name) }
}
