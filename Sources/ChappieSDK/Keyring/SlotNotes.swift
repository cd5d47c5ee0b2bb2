import GLibBridge
import Platform

/// Notes which slots hold a credential, for a start of this program while the keyring tells nothing: it may be locked
/// and hide what it holds, or come later.
///
/// One file a slot in the user's state directory, named by a fingerprint. It holds a fingerprint of the servers that the
/// credential is for, nothing secret, and is a hint alone: what the keyring says counts.
@GLibActor
final class SlotNotes {
  private static var lengthLimit: Int { 64 }

  private let directory = Directories.state + "/chappie/slots"
  private var known: [SlotIdentity: String?] = [:]

  /// What was noted of the slot's credential; nil where it holds none.
  func note(of slot: SlotIdentity) -> String? {
    if let known = known[slot] { return known }
    return (try? Files.read(path(slot), limit: Self.lengthLimit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Notes a credential, or with nil that there is none. That it cannot be written is no failure.
  func set(_ slot: SlotIdentity, _ note: String?) {
    guard known[slot] != .some(note) else { return }
    known[slot] = .some(note)
    if let note {
      try? Files.makeDirectory(directory)
      try? Files.write(Array(note.utf8), to: path(slot))
    } else {
      Files.remove(path(slot))
    }
  }

  private func path(_ slot: SlotIdentity) -> String {
    directory + "/" + slot.fingerprint(purpose: "org.chappie slot note")
  }
}
