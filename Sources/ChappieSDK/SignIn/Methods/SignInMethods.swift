/// The ways to sign in to a slot.
struct SignInMethods: Sendable {
  private let all: [any SignInMethod]

  init(_ all: [any SignInMethod]) {
    self.all = all
  }

  subscript(_ kind: ChappieSignInMethod) -> (any SignInMethod)? { all.first { $0.kind == kind } }

  /// The method that keeps a credential. Nil for a credential of another method, or for other servers: it is then sent
  /// nowhere.
  subscript(_ credential: Credential) -> (any SignInMethod)? {
    all.first { $0.kind.rawValue == credential.method && $0.servers == credential.servers }
  }

  var servers: [CredentialServers] { all.map(\.servers) }
}
