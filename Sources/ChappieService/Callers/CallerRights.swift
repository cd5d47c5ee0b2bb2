// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The rights of each kind of caller.
///
/// | caller | may use |
/// | --- | --- |
/// | unsandboxed | the default service at `/org/chappie`, its accounts, and the objects that it opened |
/// | sandboxed | `org.chappie.Manager`, and the objects that it opened |
/// | uninspectable | the properties of `org.chappie.Manager` |
extension Callers {
  /// Guards `org.chappie.Manager`. Reading its properties needs no identity: they are the same for every caller.
  ///
  /// - Throws: `BusError` with `AccessDenied`.
  func authorizeManager(_ request: BusRequest) async throws {
    guard !request.isPropertyRead else { return }
    _ = try await owner(request.sender)
  }

  /// Lets only programs outside of a sandbox use what belongs to the user and not to one app, and act for the user.
  ///
  /// - Throws: `BusError` with `AccessDenied`.
  func authorizeUser(_ name: String) async throws {
    let identity = await identity(of: name)
    guard identity == .unsandboxed else { throw denial(of: name, identity) }
  }

  /// Whether a caller may see and use the objects that belong to the user and not to one app.
  func mayUseShared(_ name: String) async -> Bool {
    await identity(of: name) == .unsandboxed
  }

  /// The reply at a path without an object for the caller. It does not show whether another caller has an object there.
  func noObject(at path: String, for name: String) async -> BusError {
    let identity = await identity(of: name)
    let opened = ["client", "session"].map { ServicePaths.root.appending($0).string + "/" }
    if identity == .unsandboxed, !opened.contains(where: (path + "/").hasPrefix) {
      return BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "There is no object at \(path).")
    }
    return denial(of: name, identity)
  }

  /// The app that owns what a caller opens; nil for a program outside of a sandbox.
  ///
  /// - Throws: `BusError` with `AccessDenied`.
  func owner(_ name: String) async throws -> AppID? {
    let identity = await identity(of: name)
    switch identity {
    case .sandboxed(let app): return app
    case .unsandboxed: return nil
    case .unidentified: throw denial(of: name, identity)
    }
  }

  /// The reply to a caller without the right. The log has the first refusal of each caller.
  private func denial(of name: String, _ identity: CallerIdentity) -> BusError {
    if isFirstDenial(of: name) { Log.info("The caller \(name: name) is refused: it \(identity).") }
    return identity.denial
  }
}

extension CallerIdentity {
  /// The reply to a caller of this kind without the right.
  var denial: BusError {
    switch self {
    case .sandboxed(let app):
      BusError(
        .accessDenied,
        "\(app) runs in a sandbox and may use only what it opened: call OpenSession or OpenClient of "
          + "org.chappie.Manager at /org/chappie first.")
    case .unsandboxed:
      BusError(
        .accessDenied, "You have not opened this, or closed it: call OpenSession or OpenClient for one of your own.")
    case .unidentified(let caller):
      BusError(
        .accessDenied,
        caller.isForNow
          ? "This service could not find out for the moment which program calls: the caller \(caller.reason). Try again."
          : "This service cannot tell which program calls, and so gives it nothing: the caller \(caller.reason).")
    }
  }
}

extension CallerIdentity: LogValue {
  /// The rest of a sentence that begins with “the caller”.
  var logText: String {
    switch self {
    case .sandboxed(let app): "is \(app) in a sandbox, and has not opened what it asks for"
    case .unsandboxed: "has not opened what it asks for, or has closed it"
    case .unidentified(let caller): caller.reason
    }
  }
}
