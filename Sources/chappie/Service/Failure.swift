import GLibBridge

/// What went wrong, as a person reads it, and the exit status that tells it to a script.
struct Failure: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as GLibError: self.init(busName: error.busName ?? "", message: error.message)
    case is CancellationError: self.init(.interrupted, "Cancelled.")
    default: self.init(.failed, "\(error)")
    }
  }

  /// Tells a person what went wrong, who may have typed or been sent what the sentence quotes.
  static func tell(_ sentence: String) {
    StandardStream.error.write("chappie: \(sentence.harmlessLine)\n")
  }

  /// - Parameter resetsAt: when a used-up quota comes back, where the service knows it.
  init(busName: String, message: String, resetsAt: Int64? = nil) {
    switch busName {
    case "org.chappie.Error.MissingCredential":
      self.init(.signInNeeded, "Nobody is signed in: run chappie sign-in.")
    case "org.chappie.Error.ReauthenticationRequired", "org.chappie.Error.MissingRefreshToken":
      self.init(.signInNeeded, "The sign-in has ended: run chappie sign-in.")
    case "org.chappie.Error.Locked", "org.chappie.Error.KeyringUnavailable":
      self.init(.keyringNeeded, message)
    case "org.chappie.Error.UsageLimitReached":
      self.init(.failed, message + (resetsAt.map { " It resets \(LocalTime.text($0))." } ?? ""))
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
      self.init(
        .serviceMissing,
        "The service is not installed, or does not start: install chappie, and see journalctl --user -u chappie.")
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected":
      self.init(.failed, "The service ended before it answered: try again, and see journalctl --user -u chappie.")
    case _ where busName.hasPrefix("org.freedesktop.DBus.Error.Spawn") || busName.hasPrefix("org.freedesktop.systemd1"):
      self.init(.serviceMissing, "The service does not start: see journalctl --user -u chappie.")
    default:
      self.init(.failed, message)
    }
  }
}
