import GLibBridge

/// When a credential may be read, as it is named on the bus.
enum Accessibility: String, CaseIterable {
  case whenUnlocked = "when-unlocked-this-device-only"
  case afterFirstUnlock = "after-first-unlock-this-device-only"
}

extension Caller {
  /// Signs an account in, whose credential may be read as `accessibility` says, and returns its session.
  @discardableResult
  func signIn(_ accessibility: Accessibility, account: String = "default") async throws -> ObjectPath {
    let session = try await open(
      "Session", ["keychain_account": account.variant, "keychain_accessibility": accessibility.rawValue.variant])
    try await signIn(at: session)
    return session
  }

  /// Whose sign-in it is; nil where nobody knows.
  func email(at path: ObjectPath = .chappie) async throws -> String? {
    try await property("Session.AccountInfo", at: path, as: VariantDictionary.self).text("email")
  }
}
