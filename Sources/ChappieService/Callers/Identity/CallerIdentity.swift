/// Who calls, as far as the kernel vouches for it. Nothing that a caller says of itself counts.
///
/// How strong each answer is:
///
/// - ``sandboxed(_:)`` is as strong as the sandbox. The app cannot change it, and is kept apart from other apps. A
///   program outside of all sandboxes can pose as any app, for it can start whatever it likes as Flatpak does.
/// - ``unsandboxed`` says that no sandbox stands between the program and its user's other programs. Such programs are
///   not told apart: every extension of a shell has the shell's rights, and so has every script.
/// - ``uninspectable(reason:)`` is no weaker kind of ``unsandboxed``: it may be an app that hides.
///
/// It is found once for a connection. A process cannot leave its sandbox, and one that enters a sandbox later was
/// unsandboxed when it connected. What could not be found out for the moment is not remembered.
enum CallerIdentity: Sendable, Equatable {
  /// An app in a sandbox that this service knows.
  case sandboxed(AppID)
  case unsandboxed
  /// A caller that this service may or can not look into. The reason is what comes after “the caller”.
  case uninspectable(reason: String)
  /// A caller that could not be looked into just now, and may be a moment later.
  case unknownForNow(reason: String)
}
