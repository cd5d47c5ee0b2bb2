// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// An error of the command: a message for a person and an exit status for a script.
struct CommandFailure: Error {
  /// The error name for a missing session bus.
  static let noBus = "org.freedesktop.DBus.Error.NoServer"

  private(set) var status: ExitStatus
  private(set) var message: String
  /// The D-Bus name of the error; nil for an error that the command itself found.
  let name: String?
  /// The members of the JSON object before those of the error, and after them.
  private var members = (before: [:] as JSONObject, after: [:] as JSONObject)

  init(_ status: ExitStatus, _ message: String, name: String? = nil) {
    self.status = status
    self.message = message
    self.name = name
  }

  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as GLibError where error.isClosed: self = .busLost
    case let error as GLibError where error.isCancelled: self = .cancelled
    case let error as GLibError where error.isTimeout && error.busName == nil: self = .noAnswer
    case let error as GLibError: self.init(busName: error.busName ?? "", message: error.message)
    case is CancellationError: self = .cancelled
    case let error as any TranslatableError: self.init(.failed, error.reason.translation)
    default: self.init(.failed, "\(error)")
    }
  }

  /// The user cancelled.
  static let cancelled = CommandFailure(.interrupted, tr("Cancelled."), name: ErrorName.cancelled.busName)

  /// The bus closed the connection.
  static let busLost = CommandFailure(
    .serviceMissing, tr("The session bus is gone: try again in a session."), name: noBus)

  /// The deadline of a call passed.
  static let noAnswer = CommandFailure(.serviceMissing, tr("There was no answer in time."))

  /// The service that runs lacks a method of this version.
  static let olderService = CommandFailure(
    .failed,
    tr("The service that runs is older than this command: systemctl --user restart chappie starts the new one."))

  /// The service ended during a call.
  static let serviceEnded = CommandFailure(busName: "org.freedesktop.DBus.Error.NoReply", message: "")

  /// Writes a message to standard error. Control characters in quoted text do nothing.
  static func report(_ sentence: String) {
    StandardStream.error.write("chappie: \(sentence.terminalSafeLine)\n")
  }

  /// - Parameters:
  ///   - busName: the D-Bus error name; may be empty.
  ///   - message: the service's message; a clearer one may replace it.
  init(busName: String, message: String, resetsAt: Timestamp? = nil) {
    self.init(
      ExitStatus(errorName: busName), Self.sentence(busName, message, resetsAt: resetsAt),
      name: busName.isEmpty ? nil : busName)
  }

  /// - Parameter details: the last event of a turn, with the details of its failure.
  init(_ details: ChappieJSONValue) {
    self.init(
      busName: details["error"]?.stringValue ?? "", message: details["message"]?.stringValue ?? "",
      resetsAt: details["resets_at"]?.time)
    // With a response id the answer is complete, and the caller prints it as such.
    let keys = details["response_id"] == nil ? ["plan", "tool", "partial_text"] : ["plan", "tool"]
    for key in keys + ["param"] { members.after.set(key, details[key]?.stringValue) }
    for key in ["status", "limit"] { members.after.set(key, details[key]?.count?.value) }
    members.after.set("resets_at", details["resets_at"]?.time?.unixSeconds)
  }

  /// The same failure with the members of `object` before those of the error in its JSON object.
  func preceded(by object: JSONObject) -> CommandFailure { changed { $0.members.before = object } }

  /// The same failure with a more precise exit status.
  func with(_ status: ExitStatus) -> CommandFailure { changed { $0.status = status } }

  /// The same failure with another message.
  func with(_ message: String) -> CommandFailure { changed { $0.message = message } }

  /// The same failure, which tells where the user sees and limits the usage of the plan.
  func managed(at page: String) -> CommandFailure {
    changed {
      $0.message += " " + tr("Manage usage: \(page)")
      $0.members.after.set("manage_usage_uri", page)
    }
  }

  private func changed(_ change: (inout CommandFailure) -> Void) -> CommandFailure {
    var failure = self
    change(&failure)
    return failure
  }

  /// The failure as a JSON object: the error's name, its message, the exit status, and the details.
  var json: JSONObject {
    var object = members.before
    object.append([
      "error": name ?? "org.freedesktop.DBus.Error.Failed", "message": message, "exit_status": status.rawValue,
    ])
    object.append(members.after)
    return object
  }

  private static func sentence(_ name: String, _ message: String, resetsAt: Timestamp?) -> String {
    let message = Translation.of(message)
    return switch (ErrorName(busName: name), ExitStatus(errorName: name)) {
    case (.missingCredential, _): tr("Nobody is signed in: run chappie sign-in.")
    case (.planUseNotGranted, _):
      tr("This sign-in may not use your ChatGPT plan: chappie sign-in --enable-plan-use asks you to allow it.")
    case (.accountMismatch, _):
      tr(
        """
        Another account has signed in on the page than the one that is stored here, which stays: sign in with that one, \
        or give --another-account.
        """)
    case (_, .signInNeeded): tr("The sign-in has ended: run chappie sign-in.")
    case (_, .usageLimitReached):
      [message, resetsAt.map { tr("It resets \($0.shortLocalText).") }].compactMap(\.self).joined(separator: " ")
    case (.cancelled, _): tr("Cancelled.")
    case _
    where ["org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner"].contains(name):
      tr("The service is not installed, or does not start: install chappie, and see journalctl --user -u chappie.")
    case _ where ["org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected"].contains(name):
      tr("The service ended before it answered: try again, and see journalctl --user -u chappie.")
    case (_, .serviceMissing): tr("The service does not start: see journalctl --user -u chappie.")
    default: message
    }
  }
}
