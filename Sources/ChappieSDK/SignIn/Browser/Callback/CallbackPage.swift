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

  /// The page with its status.
  var answer: LoopbackAnswer {
    LoopbackAnswer(
      status: status, title: "\(title) – Chappie", style: Self.style, script: Self.script,
      body: "<main><h1>\(title)</h1><p>\(Markup.escaped(text))</p></main>")
  }

  private var status: Int {
    switch self {
    case .signedIn, .declined, .cancelled, .failed, .unfinished: 200
    case .notThisSignIn: 400
    case .unknownAddress: 404
    case .otherMethod: 405
    case .alreadyAnswered: 409
    }
  }

  private var title: String {
    switch self {
    case .signedIn: "You are signed in"
    case .declined: "You declined the sign-in"
    case .cancelled: "The sign-in was cancelled"
    case .failed: "The sign-in failed"
    case .unfinished: "The sign-in is not finished yet"
    case .alreadyAnswered: "This sign-in already has its answer"
    case .notThisSignIn: "This address belongs to no sign-in that is under way"
    case .unknownAddress, .otherMethod: "There is nothing here"
    }
  }

  private var text: String {
    switch self {
    case .signedIn: "Chappie has its sign-in. You can close this page."
    case .declined: "Nothing was saved. Start the sign-in again when you want it. You can close this page."
    case .cancelled: "Nothing was saved. You can close this page."
    case .failed(let reason): "\(reason.withoutFullStop). You can close this page."
    case .unfinished: "Look at your desktop: Chappie says there how it went on."
    case .alreadyAnswered: "Look at your desktop: Chappie says there how it went on. You can close this page."
    case .notThisSignIn: "Return to the page where you signed in, or start the sign-in again."
    case .unknownAddress, .otherMethod: "Chappie waits here for the end of a sign-in. You can close this page."
    }
  }

  /// Removes what a refused request has in its query from the address bar.
  private static let script = "history.replaceState(null,'',location.pathname)"

  private static let style = """
    :root{color-scheme:light dark;font:1.05rem/1.5 system-ui,sans-serif}\
    main{max-width:34rem;margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem;line-height:1.25}
    """
}
