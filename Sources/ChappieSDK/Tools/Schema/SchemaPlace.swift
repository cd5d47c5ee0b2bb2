/// A place in a schema. It costs nothing until it is told: a schema may be as deep as its keys are long.
indirect enum SchemaPlace: Sendable {
  /// `#`, or what a reference names.
  case root(String)
  case part(of: SchemaPlace, String)

  func appending(_ key: String) -> SchemaPlace { .part(of: self, key) }

  /// As a JSON pointer; of a long one the last steps.
  var text: String {
    var steps: [String] = []
    var place = self
    while case .part(let outer, let key) = place {
      guard steps.count < 16 else { return "…/" + steps.reversed().joined(separator: "/") }
      steps.append(SchemaPath.escaped(SchemaPath.shown(key)))
      place = outer
    }
    if case .root(let name) = place { steps.append(SchemaPath.shown(name)) }
    return steps.reversed().joined(separator: "/")
  }
}
