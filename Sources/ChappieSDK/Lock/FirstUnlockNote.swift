import GLibBridge
import Platform

/// Remembers across restarts of this process that the keyring was unlocked since login.
///
/// A file in the runtime directory that names the bus and the keyring's connection to it. Neither name ever comes
/// again, so that the note ends with the keyring's program, and with it at logout.
@GLibActor
struct FirstUnlockNote {
  private static var lengthLimit: Int { 1 << 10 }

  private let directory = Directories.runtime + "/chappie"
  private let bus: String

  init(_ connection: BusConnection) {
    bus = connection.guid
  }

  /// Whether the keyring that owns its name as `owner` was seen unlocked.
  func names(_ owner: String) -> Bool {
    (try? Files.read(path, limit: Self.lengthLimit)) == text(owner)
  }

  /// It is a convenience: that it cannot be written is no failure.
  func write(_ owner: String) {
    try? Files.makeDirectory(directory)
    try? Files.write(text(owner), to: path)
  }

  private var path: String { directory + "/unlocked-keyring" }

  private func text(_ owner: String) -> [UInt8] {
    Array("\(bus) \(owner)\n".utf8)
  }
}
