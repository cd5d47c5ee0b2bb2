// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie doctor`: checks everything that a sign-in and an answer need.
struct Doctor: Verb {
  static let name = "doctor"
  static let summary = tr("Check what a sign-in and an answer need")
  static let details = tr(
    """
    Each line is a check and, if something is missing, what to do about it. The lines hold no secret, no address of a \
    person and no home directory, so they can be sent with a report. The exit status is that of the first problem.
    """)

  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let json = parser.flag("json", tr("Print one JSON object a line"))
    return { Doctor(json: $0[json]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    try await run(on: .success(service))
  }

  func run(on service: Result<ServiceConnection, CommandFailure>) async throws -> ExitStatus {
    let findings = await Spinner.show(tr("Checking…")) { await self.findings(service) }
    if json {
      for finding in findings { StandardStream.output.write(finding.json.line + "\n") }
    } else {
      var table = Table()
      for finding in findings { table.append(Self.mark(finding.verdict), finding.check, finding.sentence) }
      StandardStream.output.write(table.text)
    }
    return findings.first { $0.verdict == .problem }?.status ?? .success
  }

  private static func mark(_ verdict: Finding.Verdict) -> String {
    switch verdict {
    case .ok: tr("ok")
    case .note: tr("note")
    case .problem: tr("problem")
    case .unchecked: "-"
    }
  }

  @GLibActor
  private func findings(_ service: Result<ServiceConnection, CommandFailure>) async -> [Finding] {
    switch service {
    case .success(let service): return await findings(service)
    case .failure: return await findingsWithoutBus()
    }
  }

  @GLibActor
  private func findingsWithoutBus() async -> [Finding] {
    let reason = tr("There is no session bus.")
    var findings = [
      Finding.problem(
        "bus", .serviceMissing, reason, tr("Run this in a desktop session, or in a shell of dbus-run-session."))
    ]
    for check in ["activation", "unit", "service", "keyring", "collection", "lock", "notifications"] {
      findings.append(.unchecked(check, reason))
    }
    findings.append(await DesktopChecks.browser())
    findings += ServerChecks.unchecked(reason)
    return findings + [.unchecked("sign-in", reason)]
  }

  @GLibActor
  private func findings(_ service: ServiceConnection) async -> [Finding] {
    let bus = service.connection
    let checks = ServiceChecks(service: service)
    let keyring = Task.onGLib { await DesktopChecks.keyring(bus) }
    let notifications = Task.onGLib { await DesktopChecks.notifications(bus) }
    let activation = await checks.activation()
    var findings = [Finding.ok("bus", tr("The session bus answers.")), activation, await checks.unit()]
    let answers =
      activation.verdict == .problem ? .unchecked("service", tr("It cannot be started.")) : await checks.answers()
    findings.append(answers)
    guard answers.verdict == .ok else {
      let reason = tr("The service does not answer.")
      findings += await keyring.value
      findings += [.unchecked("lock", reason), await notifications.value, await DesktopChecks.browser()]
      findings += ServerChecks.unchecked(reason)
      return findings + [.unchecked("sign-in", reason)]
    }
    findings += await keyring.value
    findings += [await DesktopChecks.lock(service), await notifications.value, await DesktopChecks.browser()]
    findings += await ServerChecks(service).findings
    return findings + [await checks.signIn()]
  }
}
