/// The label under which AppArmor confines a process, such as `snap.firefox.firefox (enforce)`.
///
/// It is what tells a snap. The kernel gives it when snapd starts the app, hands it on to what the app starts, and lets
/// an app change it only where its profile says so. Of the other two marks of a snap neither is proof: a process can
/// move to another of its user's cgroups (`snap.NAME.APP-UUID.scope`), and environment variables are the caller's word.
///
/// A label that does not enforce (`complain`: classic snaps, and those that are developed) confines nothing, and so
/// tells nothing. A snap on a system without AppArmor has none: it runs in a root directory of its own, and cannot be
/// identified.
struct AppArmorLabel: Equatable, Sendable {
  /// The snap whose app runs under this label, confined; nil for everything else.
  let snap: AppID?

  /// - Throws: ``Unidentified`` for what looks like a snap's label and does not name one.
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
    // snap.NAME.APP or snap.NAME.hook.HOOK, and what a profile may put behind it: //CHILD, //&STACKED.
    let names = parts[0].split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard names.count == 3, let snap = AppID(snap: String(names[1])) else {
      throw Unidentified("has the AppArmor label of a snap, which names none")
    }
    self.snap = snap
  }
}
