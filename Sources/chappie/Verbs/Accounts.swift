// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// `chappie accounts`: lists the stored accounts and the applications with a sign-in of their own, and sets their
/// background use.
struct Accounts: Verb {
  static let name = "accounts"
  static let summary = tr("List the stored accounts, and the applications with a sign-in of their own")
  static let details = tr(
    """
    --background says whether a program may use ChatGPT when nobody asks it to at the moment, such as a widget that \
    asks by itself: allow, deny, or ask the next time. Without --app it is for the user's own programs.
    """)

  let json: Bool
  /// The user's answer on background use; nil lists.
  let background: String?
  /// Nil for the user's own programs.
  let app: String?

  private struct Account {
    let name: String
    let status: SessionStatus
  }

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let json = parser.flag("json", tr("Print one JSON object a line"))
    let background = parser.string(
      "background", placeholder: tr("ANSWER"), tr("Allow, deny or ask for background use"))
    let app = parser.app(tr("The application that --background is for"))
    return { arguments in
      let (answer, app) = (arguments[background], arguments[app])
      if let answer {
        guard ["allow", "deny", "ask"].contains(answer) else {
          throw CommandLineError(tr("--background takes allow, deny or ask."))
        }
        guard !arguments[json] else { throw CommandLineError(tr("--background and --json exclude each other.")) }
      } else if app != nil {
        throw CommandLineError(tr("--app needs --background."))
      }
      return Accounts(json: arguments[json], background: answer, app: app)
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    if let background {
      try await service.call(ServiceConnection.root, "Manager", "SetBackgroundUse", .tuple(app ?? "", background))
      StandardStream.output.write(Self.confirmation(background) + "\n")
      return .success
    }
    let accounts = try await list(service)
    let credentials = try await credentials(service)
    let others = credentials.filter { !$0.isOwn }
    if json {
      for account in accounts {
        let credential = credentials.first { $0.isOwn && $0.account == account.name }
        StandardStream.output.write(jsonLine(account, credential))
      }
      for credential in others { StandardStream.output.write(credential.json.line + "\n") }
    } else {
      print(accounts, others, background: credentials.first(where: \.isOwn)?.backgroundUse)
    }
    return .success
  }

  private func print(_ accounts: [Account], _ others: [ListedCredential], background: String?) {
    var table = Table()
    for account in accounts { table.append(account.name.terminalSafeLine, account.status.summary) }
    // Completions read the names up to the first empty line.
    var parts = [table.text]
    if !others.isEmpty {
      var table = Table(tr("Application"), tr("Account"), tr("Sign-in"), tr("Background use"))
      for other in others { table.append(other.owner, other.account, other.signIn, other.backgroundUse ?? "") }
      parts.append(table.text)
    }
    if let background { parts.append(tr("Background use of your own programs: \(background)") + "\n") }
    StandardStream.output.write(parts.joined(separator: "\n"))
  }

  private static func confirmation(_ answer: String) -> String {
    switch answer {
    case "allow": tr("Background use is allowed.")
    case "deny": tr("Background use is not allowed.")
    default: tr("The next background use asks first.")
    }
  }

  @GLibActor
  private func list(_ service: ServiceConnection) async throws -> [Account] {
    var accounts = [Account(name: "default", status: try await service.status(ServiceConnection.root))]
    for path in try await service.otherAccounts() {
      let properties = try await service.properties(path, "Session")
      let configuration: VariantDictionary = try properties.value("Configuration") ?? [:]
      accounts.append(
        Account(name: try configuration.value("keychain_account") ?? "", status: try SessionStatus(properties)))
    }
    return [accounts[0]] + accounts.dropFirst().sorted { $0.name < $1.name }
  }

  /// The sign-ins in the keyring. A locked keyring lists none, and standard error says so.
  @GLibActor
  private func credentials(_ service: ServiceConnection) async throws -> [ListedCredential] {
    do {
      let reply = try await service.call(
        ServiceConnection.root, "Manager", "ListCredentials", .tuple([:] as VariantDictionary))
      return try reply.member(0, "credentials", as: [VariantDictionary].self).map(ListedCredential.init)
    } catch let error as GLibError where error.busName != nil {
      let failure = CommandFailure(error)
      guard failure.status == .keyringNeeded else { throw failure }
      CommandFailure.report(tr("Applications are not listed. \(failure.message)"))
      return []
    }
  }

  private func jsonLine(_ account: Account, _ credential: ListedCredential?) -> String {
    var object = JSONObject()
    object.set("account", account.name)
    object.set("state", account.status.state.rawValue)
    object.set("email", account.status.email)
    object.set("plan", account.status.plan)
    object.set("method", credential?.method?.rawValue)
    object.set("background", credential?.background)
    return object.line + "\n"
  }
}
