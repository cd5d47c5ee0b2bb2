// SPDX-License-Identifier: Apache-2.0
import GLibBridge

extension Caller {
  /// The answer of `GetContext`.
  func context(at path: ObjectPath = .chappie) async throws -> VariantDictionary {
    try await call("Client.GetContext", at: path).member(0, "context")
  }

  func resume(_ context: VariantDictionary, at path: ObjectPath = .chappie) async throws {
    try await call("Client.ResumeContext", context, at: path)
  }

  func compact(_ summary: String = "", at path: ObjectPath = .chappie) async throws {
    try await call("Client.CompactContext", summary, at: path)
  }
}

extension VariantDictionary {
  /// The `messages` of a context, as `role: text`.
  var messages: [String] {
    get throws { try (value("messages", as: [Message].self) ?? []).map { "\($0.role): \($0.text)" } }
  }

  func number(_ key: String) throws -> UInt32 { try value(key) ?? .max }

  func with(_ key: String, _ value: any VariantConvertible) -> VariantDictionary {
    var other = self
    other.set(key, value)
    return other
  }
}
