// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The lock that a process takes before it changes a slot in the keyring: a file in the runtime directory.
enum SlotFileLock {
  /// The kind of change. Each kind has its own file for each slot.
  enum Subject: String {
    case credential = "org.chappie slot lock"
    case threadKey = "org.chappie thread key lock"
  }

  /// Longer than the requests of a refresh can take, because the lock's holder waits for a server: 15 s for each of two
  /// descriptions, and 60 s for the tokens.
  private static let deadline = Duration.seconds(120)

  private static var directory: String { Directories.runtime + "/chappie" }

  private static func path(_ slot: SlotIdentity, _ subject: Subject) -> String {
    "\(directory)/\(slot.fingerprint(purpose: subject.rawValue)).lock"
  }

  /// - Throws: ``CredentialError/keyringUnavailable(_:)``, `CancellationError`.
  @GLibActor
  static func take(_ slot: SlotIdentity, for subject: Subject = .credential) async throws -> FileLock {
    let path = path(slot, subject)
    do {
      try Files.makeDirectory(directory)
      return try await FileLock.take(path, deadline: deadline)
    } catch FileError.inUse {
      throw CredentialError.keyringUnavailable(en("Another program is using the stored credential: try again."))
    } catch let error as FileError {
      throw CredentialError.keyringUnavailable("\(path) cannot be locked: \(error).")
    }
  }

  /// Whether any process has taken the slot's lock since the user logged in. It may be in a sign-in.
  static func wasTaken(_ slot: SlotIdentity) -> Bool {
    Files.exists(path(slot, .credential))
  }
}

/// Records the slots with a credential, for a start of this program while the keyring is silent. The keyring may be
/// locked and hide its items, or start later.
///
/// Each slot has one file in the user's state directory, named by a fingerprint. The file holds a fingerprint of the
/// credential's servers and no secret. It is only a hint: the keyring takes precedence.
@GLibActor
final class SlotNotes {
  private static var lengthLimit: Int { 64 }

  private let directory = Directories.state + "/chappie/slots"
  private var known: [SlotIdentity: String] = [:]

  /// The note about the slot's credential. Nil when the slot holds none.
  func note(of slot: SlotIdentity) -> String? {
    if let known = known[slot] { return known }
    return (try? Files.read(path(slot), limit: Self.lengthLimit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Records a credential or, with nil, its absence. A failure to write is ignored.
  func set(_ slot: SlotIdentity, _ note: String?) {
    guard let note else {
      known[slot] = nil
      return Files.remove(path(slot))
    }
    defer { known[slot] = note }
    guard note != self.note(of: slot) else { return }
    try? Files.makeDirectory(directory)
    try? Files.write(Array(note.utf8), to: path(slot))
  }

  private func path(_ slot: SlotIdentity) -> String {
    directory + "/" + slot.fingerprint(purpose: "org.chappie slot note")
  }
}
