/// The label under which AppArmor confines a process, such as `snap.firefox.firefox (enforce)`.
///
/// The label identifies a snap. The kernel sets it when snapd starts the app, passes it on to child processes, and lets
/// an app change it only where its profile allows that. The other two marks of a snap prove nothing: a process can move
/// to another of its user's cgroups (`snap.NAME.APP-UUID.scope`), and a caller can set environment variables.
///
/// A label in `complain` mode (classic snaps and snaps in development) confines nothing, and so proves nothing. On a
/// system without AppArmor a snap has no label. It runs in its own root directory and cannot be identified.
struct AppArmorLabel: Equatable, Sendable {
  /// The snap of a confined app; nil for every other label.
  let snap: AppID?

  /// - Throws: ``Unidentified`` for a label that looks like a snap's and names no snap.
  init(_ text: String) throws(Unidentified) {
    let text = text.last == "\n" ? String(text.dropLast()) : text
    guard text.hasPrefix("snap.") else {
      snap = nil
      return
    }
    let parts = text.split(separator: " ", maxSplits: 1)
    let mode = parts.count == 2 ? parts[1] : ""
    guard mode != "(complain)", mode != "(unconfined)" else {
      snap = nil
      return
    }
    // snap.NAME.APP or snap.NAME.hook.HOOK, and the suffixes that a profile may add: //CHILD, //&STACKED.
    let names = parts[0].split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard names.count == 3, let snap = AppID(snap: String(names[1])) else {
      throw Unidentified("has the AppArmor label of a snap, which names none")
    }
    self.snap = snap
  }
}
