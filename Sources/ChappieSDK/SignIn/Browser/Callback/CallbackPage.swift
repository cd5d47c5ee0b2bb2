// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The page that the browser shows when it has returned. Nothing of a request is on it.
enum CallbackPage: Sendable, Hashable {
  /// The sign-in is complete.
  case signedIn
  /// The user declined on the sign-in page.
  case declined
  /// This computer cancelled the sign-in, or its time ended.
  case cancelled
  /// The sign-in failed. The reason is a sentence for the user, with the remedy.
  case failed(reason: String)
  /// The outcome is not known yet.
  case unfinished
  /// The sign-in already has its answer.
  case alreadyAnswered
  /// The request has the wrong state or is malformed.
  case notThisSignIn
  /// The path is another.
  case unknownAddress
  /// The method is not GET.
  case otherMethod

  /// The page for the end of a sign-in; nil is success. It repeats no text of a server or of the callback.
  init(endOf error: ChappieAuthError?) {
    switch error {
    case nil: self = .signedIn
    case .declined: self = .declined
    case .cancelled, .expired: self = .cancelled
    case .invalidResponse, .tokenExchangeFailed:
      self = .failed(
        reason: "The sign-in server gave an answer that cannot be used. Chappie says on your desktop what was wrong")
    case .some(let error): self = .failed(reason: error.description)
    }
  }

  /// The page with its status.
  var answer: LoopbackAnswer {
    let (status, title, text) =
      switch self {
      case .signedIn: (200, "You are signed in", "Chappie has its sign-in. You can close this page.")
      case .declined:
        (
          200, "You declined the sign-in",
          "Nothing was saved. Start the sign-in again when you want it. You can close this page."
        )
      case .cancelled: (200, "The sign-in was cancelled", "Nothing was saved. You can close this page.")
      case .failed(let reason): (200, "The sign-in failed", "\(reason.withoutFullStop). You can close this page.")
      case .unfinished:
        (200, "The sign-in is not finished yet", "Look at your desktop: Chappie says there how it went on.")
      case .alreadyAnswered:
        (
          409, "This sign-in already has its answer",
          "Look at your desktop: Chappie says there how it went on. You can close this page."
        )
      case .notThisSignIn:
        (
          400, "This address belongs to no sign-in that is under way",
          "Return to the page where you signed in, or start the sign-in again."
        )
      case .unknownAddress:
        (404, "There is nothing here", "Chappie waits here for the end of a sign-in. You can close this page.")
      case .otherMethod:
        (405, "There is nothing here", "Chappie waits here for the end of a sign-in. You can close this page.")
      }
    return LoopbackAnswer(
      status: status, title: "\(title) – Chappie", style: Self.style, script: Self.script,
      body: "<main><h1>\(title)</h1><p>\(Markup.escaped(text))</p></main>")
  }

  /// Removes what a refused request has in its query from the address bar.
  private static let script = "history.replaceState(null,'',location.pathname)"

  private static let style = """
    :root{color-scheme:light dark;font:1.05rem/1.5 system-ui,sans-serif}\
    main{max-width:34rem;margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem;line-height:1.25}
    """
}
