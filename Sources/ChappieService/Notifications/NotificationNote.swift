import GLibBridge
import Platform

/// Remembers the notifications on the screen, for the process that follows one that was killed.
///
/// A file in the runtime directory names the bus and the notification server's connection to it. Neither name is ever
/// used again, so the note becomes invalid when the server ends.
@GLibActor
struct NotificationNote {
  private static var lengthLimit: Int { 1 << 16 }

  private let directory = Directories.runtime + "/chappie"
  private let bus: String

  init(_ connection: BusConnection) {
    bus = connection.guid
  }

  /// The server and the notifications of the note; nil without a valid one.
  func read() -> (owner: String, ids: [UInt32])? {
    guard let bytes = try? Files.read(path, limit: Self.lengthLimit) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
    guard words.count > 2, words[0] == bus, BusName.isUnique(words[1]) else { return nil }
    let numbers = words.dropFirst(2).compactMap { Count(text: $0) }
    let ids = numbers.compactMap { UInt32(exactly: $0.value) }
    return (words[1], ids)
  }

  /// The note is a convenience, so a failure to write it is ignored.
  func write(_ owner: String?, _ ids: Set<UInt32>) {
    guard let owner, !ids.isEmpty else { return Files.remove(path) }
    try? Files.makeDirectory(directory)
    try? Files.write(Array(([bus, owner] + ids.sorted().map { "\($0)" }).joined(separator: " ").utf8), to: path)
  }

  private var path: String { directory + "/notifications" }
}
