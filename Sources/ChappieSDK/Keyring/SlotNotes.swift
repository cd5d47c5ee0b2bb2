// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Records the slots with a credential, for a start of this program while the keyring is silent. The keyring may be
/// locked and hide its items, or start later.
///
/// Each slot has one file in the user's state directory, named by a fingerprint. The file holds a fingerprint of the
/// credential's servers and no secret. It is only a hint: the keyring takes precedence.
@GLibActor
final class SlotNotes {
  private static var lengthLimit: Int { 64 }

  private let directory = Directories.state + "/chappie/slots"
  private var known: [SlotIdentity: String?] = [:]

  /// The note about the slot's credential. Nil when the slot holds none.
  func note(of slot: SlotIdentity) -> String? {
    if let known = known[slot] { return known }
    return (try? Files.read(path(slot), limit: Self.lengthLimit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Records a credential or, with nil, its absence. A failure to write is ignored.
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
