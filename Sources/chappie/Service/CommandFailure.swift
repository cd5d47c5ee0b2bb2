import GLibBridge
import Platform

/// What went wrong, as a person reads it, and the exit status that tells it to a script.
struct CommandFailure: Error {
  /// The name of what fails without a bus.
  static let noBus = "org.freedesktop.DBus.Error.NoServer"

  let status: ExitStatus
  let message: String
  /// The D-Bus name of the error; nil for what the command itself found wrong.
  let name: String?
  /// What stands before the error in its JSON object, and behind it.
  private var facts = (before: JSONObject(), behind: JSONObject())

  init(_ status: ExitStatus, _ message: String, name: String? = nil) {
    self.status = status
    self.message = message
    self.name = name
  }

  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as GLibError where error.isClosed: self = .busLost
    case let error as GLibError: self.init(busName: error.busName ?? "", message: error.message)
    case let error as GLibError where error.isCancelled: self = .cancelled
    case is CancellationError: self = .cancelled
    default: self.init(.failed, "\(error)")
    }
  }

  /// Somebody gave up waiting.
  static let cancelled = CommandFailure(.interrupted, "Cancelled.", name: "org.chappie.Error.Cancelled")

  /// The bus has ended, or the connection to it.
  static let busLost = CommandFailure(.serviceMissing, "The session bus is gone: try again in a session.", name: noBus)

  /// The service was there, and is gone.
  static let serviceEnded = CommandFailure(busName: "org.freedesktop.DBus.Error.NoReply", message: "")

  /// Tells a person what went wrong, who may have typed or been sent what the sentence quotes.
  static func tell(_ sentence: String) {
    StandardStream.error.write("chappie: \(sentence.harmlessLine)\n")
  }

  /// - Parameter details: what `Failed` has beside the message.
  init(busName: String, message: String, details: VariantDictionary = [:]) {
    self.init(
      ExitStatus(errorName: busName), Self.sentence(busName, message, resetsAt: try? details.value("resets_at")),
      name: busName.isEmpty ? nil : busName)
    // An answer that is whole is told as the answer.
    let keys = details["response_id"] == nil ? ["plan", "tool", "partial_text"] : ["plan", "tool"]
    for key in keys { facts.behind.set(key, try? details.value(key, as: String.self)) }
    for key in ["status", "limit"] { facts.behind.set(key, try? details.value(key, as: UInt32.self)) }
    facts.behind.set("resets_at", try? details.value("resets_at", as: Int64.self))
  }

  /// The same with `object` in front of the error in its JSON object.
  func behind(_ object: JSONObject) -> CommandFailure {
    var failure = self
    failure.facts.before = object
    return failure
  }

  /// The same error, of which more was found out.
  func with(_ status: ExitStatus) -> CommandFailure {
    var failure = CommandFailure(status, message, name: name)
    failure.facts = facts
    return failure
  }

  /// One object: the error's name, its message, the exit status, and whatever else is known.
  var json: JSONObject {
    var object = facts.before
    object.set("error", name ?? "org.freedesktop.DBus.Error.Failed")
    object.set("message", message)
    object.set("exit_status", status.rawValue)
    object.append(facts.behind)
    return object
  }

  private static func sentence(_ name: String, _ message: String, resetsAt: Int64?) -> String {
    switch (name, ExitStatus(errorName: name)) {
    case ("org.chappie.Error.MissingCredential", _): "Nobody is signed in: run chappie sign-in."
    case (_, .signInNeeded): "The sign-in has ended: run chappie sign-in."
    case (_, .usageLimitReached): message + (resetsAt.map { " It resets \(LocalTime.text($0))." } ?? "")
    case ("org.chappie.Error.Cancelled", _): "Cancelled."
    case ("org.freedesktop.DBus.Error.ServiceUnknown", _), ("org.freedesktop.DBus.Error.NameHasNoOwner", _):
      "The service is not installed, or does not start: install chappie, and see journalctl --user -u chappie."
    case ("org.freedesktop.DBus.Error.NoReply", _), ("org.freedesktop.DBus.Error.Disconnected", _):
      "The service ended before it answered: try again, and see journalctl --user -u chappie."
    case (_, .serviceMissing): "The service does not start: see journalctl --user -u chappie."
    default: message
    }
  }
}
