// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// What the user asked of a sign-in, and how it is made.
struct SignInPlan {
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
  let wantedMethod: ChappieSignInMethod?
  /// Nil for the best one.
  let wantedWay: Way?
  let addsAccount: Bool
  let connectsAnew: Bool
  let enablesPlanUse: Bool

  /// The method: that of the stored sign-in if no other is wanted, since its registration and its rights depend on it.
  @GLibActor
  func method(_ before: SessionStatus) async -> ChappieSignInMethod {
    if let method = wantedMethod ?? before.method { return method }
    // Not over SSH without a display.
    guard Browser.isReachable else { return .deviceCode }
    // The files that tell may be on a disk that does not answer.
    let name = try? await withDeadline(.seconds(5)) { await offActor { Browser.defaultName } }
    return name.flatMap(\.self) == nil ? .deviceCode : .browser
  }

  func way(for method: ChappieSignInMethod) -> Way {
    if let wantedWay { return wantedWay }
    if wantedMethod == .browser || Browser.isReachable { return .opened }
    return method == .browser && StandardInput.isTerminal ? .pasted : .shown
  }
}
