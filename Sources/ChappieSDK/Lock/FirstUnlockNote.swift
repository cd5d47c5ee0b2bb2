import GLibBridge
import Platform

/// Remembers across restarts of this process that the keyring has been unlocked since login.
///
/// A file in the runtime directory names the bus and the keyring's connection to it. Neither name is ever used again,
/// so the note becomes invalid when the keyring's daemon ends, at logout at the latest.
@GLibActor
struct FirstUnlockNote {
  private static var lengthLimit: Int { 1 << 10 }

  private let directory = Directories.runtime + "/chappie"
  private let bus: String

  init(_ connection: BusConnection) {
    bus = connection.guid
  }

  /// Whether the keyring with the bus name `owner` has been seen unlocked.
  func names(_ owner: String) -> Bool {
    (try? Files.read(path, limit: Self.lengthLimit)) == text(owner)
  }

  /// The note is a convenience, so a failure to write it is ignored.
  func write(_ owner: String) {
    try? Files.makeDirectory(directory)
    try? Files.write(text(owner), to: path)
  }

  private var path: String { directory + "/unlocked-keyring" }

  private func text(_ owner: String) -> [UInt8] {
    Array("\(bus) \(owner)\n".utf8)
  }
}
