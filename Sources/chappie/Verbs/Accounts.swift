// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

extension Verb {
  /// `chappie accounts`: lists the stored accounts and the applications with a sign-in of their own, and sets their
  /// background use.
  static let accounts = Verb(
    "accounts", tr("List the stored accounts, and the applications with a sign-in of their own"),
    details: tr(
      """
      --background says whether a program may use ChatGPT when nobody asks it to at the moment, such as a widget that \
      asks by itself: allow, deny, or ask the next time. Without --app it is for the user's own programs.
      """),
    jsonLines, text("background", placeholder: tr("ANSWER"), tr("Allow, deny or ask for background use")),
    text("app", placeholder: tr("ID"), tr("The application that --background is for"))
  ) { json, answer, app in
    guard let answer else {
      guard app == nil else { throw CommandLineError(tr("--app needs --background.")) }
      return Work(json: json) { service in
        let accounts = try await StoredAccount.all(service)
        let credentials = try await ListedCredential.all(service)
        StandardStream.output.write(json ? lines(accounts, credentials) : text(accounts, credentials))
      }
    }
    guard ["allow", "deny", "ask"].contains(answer) else {
      throw CommandLineError(tr("--background takes allow, deny or ask."))
    }
    guard !json else { throw CommandLineError(tr("--background and --json exclude each other.")) }
    return Work { service in
      try await service.manager("SetBackgroundUse", .tuple(app ?? "", answer))
      StandardStream.output.line(confirmation(answer))
    }
  }

  private static func lines(_ accounts: [StoredAccount], _ credentials: [ListedCredential]) -> String {
    let own = accounts.map { account in account.json(credentials.first { $0.isOwn && $0.account == account.name }) }
    return (own + credentials.filter { !$0.isOwn }.map(\.json)).map { $0.line + "\n" }.joined()
  }

  private static func text(_ accounts: [StoredAccount], _ credentials: [ListedCredential]) -> String {
    // Completions read the names up to the first empty line.
    var parts = [Table(rows: accounts.map { [$0.name.terminalSafeLine, $0.status.summary] }).text]
    let others = credentials.filter { !$0.isOwn }
    if !others.isEmpty {
      let rows = others.map { [$0.owner, $0.account, $0.signIn, $0.backgroundUse ?? ""] }
      parts.append(Table(tr("Application"), tr("Account"), tr("Sign-in"), tr("Background use"), rows: rows).text)
    }
    if let background = credentials.first(where: \.isOwn)?.backgroundUse {
      parts.append(tr("Background use of your own programs: \(background)") + "\n")
    }
    return parts.joined(separator: "\n")
  }

  private static func confirmation(_ answer: String) -> String {
    switch answer {
    case "allow": tr("Background use is allowed.")
    case "deny": tr("Background use is not allowed.")
    default: tr("The next background use asks first.")
    }
  }
}

/// An account of the default service.
private struct StoredAccount {
  let name: String
  let status: SessionStatus

  /// The default account first, and then the others by their names.
  @GLibActor
  static func all(_ service: ServiceConnection) async throws -> [StoredAccount] {
    let standard = StoredAccount(name: "default", status: try await service.status(ServiceConnection.root))
    var others: [StoredAccount] = []
    for path in try await service.otherAccounts() {
      let properties = try await service.properties(path, "Session")
      let configuration: VariantDictionary = try properties.value("Configuration") ?? [:]
      others.append(
        StoredAccount(name: try configuration.value("keychain_account") ?? "", status: try SessionStatus(properties)))
    }
    return [standard] + others.sorted { $0.name < $1.name }
  }

  func json(_ credential: ListedCredential?) -> JSONObject {
    [
      "account": name, "state": status.state.rawValue, "email": status.email, "plan": status.plan,
      "method": credential?.method?.rawValue, "background": credential?.background,
    ]
  }
}

/// A credential of the keyring, as `Manager.ListCredentials` returns it.
private struct ListedCredential {
  private let values: VariantDictionary
  let account: String
  let method: ChappieSignInMethod?
  /// The user's answer on background use.
  let background: String?
  private let app: String?
  private let name: String?
  private let group: String?
  private let state: ChappieAuthState?

  init(_ values: VariantDictionary) throws {
    self.values = values
    account = try values.value("account") ?? ""
    method = ChappieSignInMethod(rawValue: try values.value("method") ?? "")
    background = try values.value("background")
    app = try values.value("app")
    name = try values.value("name")
    group = try values.value("access_group")
    state = ChappieAuthState(rawValue: try values.value("state") ?? "")
  }

  /// The sign-ins in the keyring. A locked keyring lists none, and standard error says so.
  @GLibActor
  static func all(_ service: ServiceConnection) async throws -> [ListedCredential] {
    do {
      let reply = try await service.manager("ListCredentials", .tuple([:] as VariantDictionary))
      return try reply.member(0, "credentials", as: [VariantDictionary].self).map(ListedCredential.init)
    } catch let error as GLibError where error.busName != nil {
      let failure = CommandFailure(error)
      guard failure.status == .keyringNeeded else { throw failure }
      CommandFailure.report(tr("Applications are not listed. \(failure.message)"))
      return []
    }
  }

  /// Whether it is the user's own.
  var isOwn: Bool { app == nil && group == nil }

  /// The application or access group, for a person. An application has chosen its name, so its id is there too.
  var owner: String {
    switch (app, name, group) {
    case (let app?, let name?, _): tr("\(name) (\(app))")
    case (let app?, nil, _): app
    case (nil, _, let group?): tr("access group \(group)")
    case (nil, _, nil): ""
    }
  }

  /// The state and the method of the sign-in, for a person.
  var signIn: String {
    switch (state, method) {
    case (.signedIn, .deviceCode): tr("signed in with a code")
    case (.signedIn, .browser): tr("signed in with the browser")
    case (.signedIn, _): tr("signed in")
    case (.signingIn, _): tr("signing in")
    case (.reauthenticationRequired, _): tr("has ended")
    case (.signedOut, _): tr("cannot be used on this device")
    default: tr("unknown")
    }
  }

  /// The rule for background use, for a person; nil where nothing asks for consent.
  var backgroundUse: String? {
    switch (background, method) {
    case ("allow", _): tr("allowed")
    case ("deny", _): tr("not allowed")
    case ("ask", _), (nil, .browser): tr("asks first")
    default: nil
    }
  }

  /// The credential of an application or an access group as a JSON object.
  var json: JSONObject {
    JSONObject(["app", "name", "access_group", "account", "state", "method", "background"], of: values)
  }
}
