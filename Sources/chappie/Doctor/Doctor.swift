// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

extension Verb {
  /// `chappie doctor`: checks everything that a sign-in and an answer need.
  static let doctor = Verb(
    "doctor", tr("Check what a sign-in and an answer need"),
    details: tr(
      """
      Each line is a check and, if something is missing, what to do about it. The lines hold no secret, no address of a \
      person and no home directory, so they can be sent with a report. The exit status is that of the first problem.
      """),
    jsonLines
  ) { json in
    Work(
      output: .init(json: json),
      run: { service in
        let findings = await Spinner.show(tr("Checking…")) { await Doctor.findings(service) }
        if json {
          for finding in findings { StandardStream.output.line(finding.json.line) }
        } else {
          StandardStream.output.write(Table(rows: findings.map { [$0.mark, $0.check, $0.sentence] }).text)
        }
        return findings.first { $0.verdict == .problem }?.status ?? .success
      })
  }
}

@GLibActor
private enum Doctor {
  static func findings(_ service: Result<ServiceConnection, CommandFailure>) async -> [Finding] {
    guard case .success(let service) = service else {
      let reason = tr("There is no session bus.")
      let checks = ["activation", "unit", "service", "keyring", "collection", "lock", "notifications"]
      let remedy = tr("Run this in a desktop session, or in a shell of dbus-run-session.")
      return [.problem("bus", .serviceMissing, reason, remedy)] + checks.map { .unchecked($0, reason) }
        + [await DesktopChecks.browser(), await DesktopChecks.documents()] + ServerChecks.unchecked(reason)
        + [.unchecked("sign-in", reason)]
    }
    let bus = service.connection
    let checks = ServiceChecks(service: service)
    let keyring = Task.onGLib { await DesktopChecks.keyring(bus) }
    let documents = Task.onGLib { await DesktopChecks.documents() }
    let notifications = Task.onGLib { await DesktopChecks.notifications(bus) }
    let activation = await checks.activation()
    var findings = [Finding.ok("bus", tr("The session bus answers.")), activation, await checks.unit()]
    let answers =
      activation.verdict == .problem ? .unchecked("service", tr("It cannot be started.")) : await checks.answers()
    let isRunning = answers.verdict == .ok
    let reason = tr("The service does not answer.")
    findings.append(answers)
    findings += await keyring.value
    findings.append(isRunning ? await DesktopChecks.lock(service) : .unchecked("lock", reason))
    findings += [await notifications.value, await DesktopChecks.browser(), await documents.value]
    findings += isRunning ? await ServerChecks.findings(service) : ServerChecks.unchecked(reason)
    findings.append(isRunning ? await checks.signIn() : .unchecked("sign-in", reason))
    return findings + (await ToolChecks.findings())
  }
}

/// The outcome of one check of `chappie doctor`.
struct Finding {
  enum Verdict: String {
    case ok
    /// It works, but something is missing that a person may want.
    case note
    case problem
    /// It could not be checked, since something else is missing.
    case unchecked
  }

  /// One word for each check.
  let check: String
  let verdict: Verdict
  /// A sentence without names of people, addresses and home directories.
  let message: String
  /// What a person can do about it; nil for nothing.
  let remedy: String?
  /// What ``Verdict/problem`` means for the exit status.
  let status: ExitStatus

  private init(
    _ check: String, _ verdict: Verdict, _ message: String, _ remedy: String? = nil, _ status: ExitStatus = .success
  ) {
    self.check = check
    self.verdict = verdict
    self.message = Self.shareable(message)
    self.remedy = remedy
    self.status = status
  }

  static func ok(_ check: String, _ message: String) -> Finding { Finding(check, .ok, message) }

  static func note(_ check: String, _ message: String, _ remedy: String? = nil) -> Finding {
    Finding(check, .note, message, remedy)
  }

  static func problem(_ check: String, _ status: ExitStatus, _ message: String, _ remedy: String) -> Finding {
    Finding(check, .problem, message, remedy, status)
  }

  static func unchecked(_ check: String, _ reason: String) -> Finding { Finding(check, .unchecked, reason) }

  /// The text without what must not be in a report: the home directory, whose name is often the user's, addresses of
  /// people, and what may be a token. Other programs wrote parts of it.
  private static func shareable(_ text: String) -> String {
    let home = Directories.home
    let text = home.count > 1 ? text.replacing(home, with: "~") : text
    let words = Redaction.message(text).split(separator: " ").map { $0.contains("@") ? "[address]" : String($0) }
    return words.joined(separator: " ")
  }

  var json: JSONObject {
    ["check": check, "status": verdict.rawValue, "message": message, "remedy": remedy]
  }

  /// The message and the remedy.
  var sentence: String { [message, remedy].compactMap(\.self).joined(separator: " ") }

  /// The verdict, for a person.
  var mark: String {
    switch verdict {
    case .ok: tr("ok")
    case .note: tr("note")
    case .problem: tr("problem")
    case .unchecked: "-"
    }
  }
}
