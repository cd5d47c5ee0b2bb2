import GLibBridge

/// Notes which slots hold a credential, for a start of this program while the keyring tells nothing: it may be locked
/// and hide what it holds, or come later.
///
/// One empty file a slot in the user's state directory, named by a fingerprint. It holds nothing secret, and is a hint
/// alone: what the keyring says counts.
@GLibActor
final class SlotNotes {
  private let directory = Directories.state + "/chappie/slots"
  private var known: [SlotIdentity: Bool] = [:]

  func contains(_ slot: SlotIdentity) -> Bool {
    known[slot] ?? Files.exists(path(slot))
  }

  /// That it cannot be written is no failure.
  func set(_ slot: SlotIdentity, _ isHeld: Bool) {
    guard known[slot] != isHeld else { return }
    known[slot] = isHeld
    if isHeld {
      try? Directories.make(directory)
      try? Files.write([], to: path(slot))
    } else {
      Files.remove(path(slot))
    }
  }

  private func path(_ slot: SlotIdentity) -> String {
    directory + "/" + slot.fingerprint(purpose: "org.chappie slot note")
  }
}
