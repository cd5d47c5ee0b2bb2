import ChappieSDK

extension StandInRule.Reader {
  /// Reads the name of a refusal.
  mutating func refusal(_ key: String, _ endpoint: StandInEndpoint) throws(Problem) -> NamedRefusal? {
    guard let name = try string(key) else { return nil }
    guard let refusal = NamedRefusal(name, at: endpoint) else {
      let names = NamedRefusal.names(at: endpoint)
      throw Problem(
        text: names.isEmpty
          ? "'\(key)' does not go with this endpoint" : "'\(key)' must be one of \(names.joined(separator: ", "))")
    }
    return refusal
  }

  /// Reads the event in which a refusal comes; nil if it comes in place of the stream.
  mutating func refusalEvent(_ key: String) throws(Problem) -> NamedRefusal.Event? {
    switch take(key) {
    case nil, .bool(false): return nil
    case .bool(true): return .failed
    case let value:
      if let event = value?.stringValue.flatMap(NamedRefusal.Event.init) { return event }
      let names = NamedRefusal.Event.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(text: "'\(key)' must be true, false or one of \(names)")
    }
  }

  /// Reads an object; empty if the key is missing.
  mutating func object(_ key: String) throws(Problem) -> [String: ChappieJSONValue] {
    guard let value = take(key) else { return [:] }
    guard let members = value.objectValue else { throw Problem(text: "'\(key)' must be an object") }
    return members
  }

  /// Reads a change of the ID token: claims, and a fault of the signature.
  mutating func idToken(_ key: String, _ endpoint: StandInEndpoint) throws(Problem) -> IDTokenChange? {
    guard endpoint == .browserToken || endpoint == .browserRefresh, let value = take(key) else { return nil }
    var reader = try Self(value)
    var change = IDTokenChange(claims: try reader.object("claims"))
    if let name = try reader.string("signature") {
      guard let fault = SigningKeys.Fault(rawValue: name) else {
        let names = SigningKeys.Fault.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(text: "'signature' must be one of \(names)")
      }
      change.fault = fault
    }
    try reader.expectEnd()
    return change
  }
}
