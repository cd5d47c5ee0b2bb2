// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie usage`: shows how much of the plan is used.
struct Usage: Verb {
  static let name = "usage"
  static let summary = tr("Show how much of the plan is used")
  static let details = tr(
    """
    With --json it prints an object that waybar's custom module takes: text, alt, class, tooltip and percentage, and \
    the limits themselves. With --follow it prints a line for each change, as chappie monitor --usage does. After a \
    sign-in in the browser there are no figures; it prints whether the plan can be used, and the page that has them.
    """)

  let account: String?
  let json: Bool
  let follows: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let json = parser.flag("json", tr("Print one JSON object"))
    let follow = parser.flag("follow", tr("Print a line for each change"))
    return { Usage(account: $0[account], json: $0[json], follows: $0[follow]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    guard !follows else {
      return try await Monitor(account: account, usage: true, format: json ? .json : .sentence).run(service)
    }
    let client = try await service.openClient(account)
    // No timeout: the keyring may ask for its password first, and the user may take any time.
    let reply = try await service.call(client, "Client", "GetUsageLimits", timeout: nil)
    let limits = try UsageLimits(try reply.member(0, "limits"))
    if limits.isEmpty, let planUse = try await planUse(service) {
      StandardStream.output.write((json ? planUse.state.json.line : planUse.text) + "\n")
    } else {
      StandardStream.output.write(json ? limits.state.json.line + "\n" : limits.text)
    }
    return .success
  }

  /// Nil for a sign-in that tells figures, even if there are none now.
  @GLibActor
  private func planUse(_ service: ServiceConnection) async throws -> PlanUse? {
    try PlanUse(try await service.properties(try await service.session(account), "Session"))
  }
}
