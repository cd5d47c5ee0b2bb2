// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The accessibility of a credential, by its name on the bus.
enum Accessibility: String, CaseIterable {
  case whenUnlocked = "when-unlocked-this-device-only"
  case afterFirstUnlock = "after-first-unlock-this-device-only"
}

extension Caller {
  /// Signs in to an account with the given accessibility, and returns its session.
  @discardableResult
  func signIn(_ accessibility: Accessibility, account: String = "default") async throws -> ObjectPath {
    let session = try await open(
      "Session", ["keychain_account": account.variant, "keychain_accessibility": accessibility.rawValue.variant])
    try await signIn(at: session)
    return session
  }

  /// Signs in to an account, and returns its session.
  @discardableResult
  func signIn(account: String) async throws -> ObjectPath {
    let session = try await open("Session", ["keychain_account": account])
    try await signIn(at: session)
    return session
  }

  /// The address of the signed-in user; nil when it is unknown.
  func email(at path: ObjectPath = .chappie) async throws -> String? {
    try await property("Session.AccountInfo", at: path, as: VariantDictionary.self).text("email")
  }
}
