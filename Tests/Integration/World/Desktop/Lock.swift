import GLibBridge

/// What the service shows of the lock.
struct Lock: Equatable, CustomStringConvertible {
  let state: String
  let sources: [String]

  init(_ state: String, _ sources: [String]) {
    self.state = state
    self.sources = sources.sorted()
  }

  var description: String { "\(state) \(sources)" }
}

extension Caller {
  func lock() async throws -> Lock {
    Lock(try await property("Manager.LockState"), try await property("Manager.LockSources"))
  }

  /// Waits until the service shows a lock.
  func waitFor(_ lock: Lock) async throws {
    var seen: Lock?
    guard
      try await holds({
        seen = try await self.lock()
        return seen == lock
      })
    else { throw Impatience("\(lock); it is \(String(describing: seen))") }
  }

  /// Whether it was told of `property` that it has another value, which is to be read.
  func toldToReadAnew(_ property: String, of interface: String, at path: ObjectPath = .chappie) throws -> Bool {
    try signals("PropertiesChanged", at: path).contains { signal in
      try signal.arguments.member(0, "interface", as: String.self) == "org.chappie.\(interface)"
        && signal.arguments.member(2, "invalidated", as: [String].self).contains(property)
    }
  }

  /// The values of `property` that were told of, in their order.
  func told<Value: VariantConvertible>(_ property: String, of interface: String, as type: Value.Type = Value.self)
    throws -> [Value]
  {
    try signals("PropertiesChanged", at: .chappie).compactMap { signal in
      guard try signal.arguments.member(0, "interface", as: String.self) == "org.chappie.\(interface)" else {
        return nil
      }
      return try signal.arguments.member(1, "changed", as: VariantDictionary.self).value(property)
    }
  }
}
