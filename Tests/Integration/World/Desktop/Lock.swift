// SPDX-License-Identifier: Apache-2.0

/// The lock state that the service shows.
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

  /// Waits until the service shows `lock`.
  func waitFor(_ lock: Lock) async throws {
    var seen: Lock?
    guard
      try await holds({
        seen = try await self.lock()
        return seen == lock
      })
    else { throw UnmetCondition("\(lock); it is \(String(describing: seen))") }
  }

  /// Whether a signal invalidated `property` without its value.
  func wasInvalidated(_ property: String, of interface: String, at path: ObjectPath = .chappie) throws -> Bool {
    try signals("PropertiesChanged", at: path).contains { signal in
      try signal.arguments.member(0, "interface", as: String.self) == "org.chappie.\(interface)"
        && signal.arguments.member(2, "invalidated", as: [String].self).contains(property)
    }
  }

  /// The signalled values of `property`, in order.
  func changedValues<Value: VariantConvertible>(
    _ property: String, of interface: String, as type: Value.Type = Value.self
  )
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
