import GLibBridge
import Platform

/// `chappie accounts`: lists the stored accounts.
struct Accounts: Verb {
  static let name = "accounts"
  static let summary = tr("List the stored accounts")

  let json: Bool

  private struct Account {
    let name: String
    let status: SessionStatus
  }

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let json = parser.flag("json", tr("Print one JSON object a line"))
    return { Accounts(json: $0[json]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let accounts = try await list(service)
    if json {
      for account in accounts { StandardStream.output.write(jsonLine(account)) }
    } else {
      var table = Table()
      for account in accounts { table.append(account.name.terminalSafeLine, account.status.summary) }
      StandardStream.output.write(table.text)
    }
    return .success
  }

  @GLibActor
  private func list(_ service: ServiceConnection) async throws -> [Account] {
    var accounts = [
      Account(
        name: "default", status: try SessionStatus(try await service.properties(ServiceConnection.root, "Session")))
    ]
    for path in try await service.otherAccounts() {
      let properties = try await service.properties(path, "Session")
      let configuration: VariantDictionary = try properties.value("Configuration") ?? [:]
      accounts.append(
        Account(name: try configuration.value("keychain_account") ?? "", status: try SessionStatus(properties)))
    }
    return [accounts[0]] + accounts.dropFirst().sorted { $0.name < $1.name }
  }

  private func jsonLine(_ account: Account) -> String {
    var object = JSONObject()
    object.set("account", account.name)
    object.set("state", account.status.state)
    object.set("email", account.status.email)
    object.set("plan", account.status.plan)
    return object.line + "\n"
  }
}
