/// The identity of a caller, as the kernel proves it. Claims of the caller itself do not count.
///
/// The strength of each case:
///
/// - ``sandboxed(_:)`` is as strong as the sandbox. The app cannot change it, and is kept apart from other apps. A
///   program outside of all sandboxes can pose as any app, since it can start programs as Flatpak does.
/// - ``unsandboxed`` means that no sandbox separates the program from its user's other programs. The service does not
///   distinguish such programs: every shell extension and every script has the same rights.
/// - ``uninspectable(reason:)`` does not count as ``unsandboxed``: the caller may be an app that hides its sandbox.
///
/// The service determines the identity once for each connection. A process cannot leave its sandbox, and a process
/// that enters a sandbox later was unsandboxed when it connected. ``unknownForNow(reason:)`` is not remembered.
enum CallerIdentity: Sendable, Equatable {
  /// An app in a sandbox of a kind that this service knows.
  case sandboxed(AppID)
  case unsandboxed
  /// A caller that this service cannot inspect. The reason continues a sentence that begins with “the caller”.
  case uninspectable(reason: String)
  /// A caller whose inspection failed for now, and may succeed a moment later.
  case unknownForNow(reason: String)
}
