// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// What the user asked of a sign-in.
struct SignInWishes {
  /// How the page gets into a browser, and the browser's answer back.
  enum Way {
    /// It is opened here, and the browser returns by itself.
    case opened
    /// The user opens it on this computer, and the browser returns by itself.
    case shown
    /// The user opens it on another computer, and brings the address at which that browser arrives.
    case pasted
  }

  /// Nil for the best one.
  let method: ChappieSignInMethod?
  /// Nil for the best one.
  let way: Way?
  let addsAccount: Bool
  let connectsAnew: Bool
  let enablesPlanUse: Bool
}

/// How a sign-in is made.
struct SignInPlan {
  let method: ChappieSignInMethod
  let way: SignInWishes.Way
  let addsAccount: Bool
  let connectsAnew: Bool
  let enablesPlanUse: Bool

  @GLibActor
  init(_ wishes: SignInWishes, _ before: SessionStatus) async {
    addsAccount = wishes.addsAccount
    connectsAnew = wishes.connectsAnew
    enablesPlanUse = wishes.enablesPlanUse
    // A sign-in keeps its method, on which its registration and its rights depend.
    if let wanted = wishes.method ?? before.method {
      method = wanted
    } else {
      method = await Self.canOpen ? .browser : .deviceCode
    }
    if let way = wishes.way {
      self.way = way
    } else if wishes.method == .browser || Browser.isReachable {
      way = .opened
    } else {
      way = method == .browser && StandardInput.isTerminal ? .pasted : .shown
    }
  }

  /// Whether a browser can be opened here. Not over SSH without a display.
  @GLibActor
  private static var canOpen: Bool {
    get async {
      guard Browser.isReachable else { return false }
      // The files that tell may be on a disk that does not answer.
      let name = try? await withDeadline(.seconds(5)) { await offActor { Browser.defaultName } }
      return name.flatMap(\.self) != nil
    }
  }

  /// The options of `StartBrowserSignIn`. A terminal shows the page, so no notification is needed there.
  var browserOptions: VariantDictionary {
    [
      "open": way == .opened, "notify": !StandardStream.output.isTerminal, "add_account": addsAccount,
      "register_anew": connectsAnew, "enable_plan_use": enablesPlanUse,
    ]
  }
}
