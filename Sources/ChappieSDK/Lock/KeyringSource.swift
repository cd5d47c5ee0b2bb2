// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The lock state of the keyring's default collection, as the keyring reports it.
///
/// It serves display and change detection. Only reading an item shows whether the item can be read.
///
/// A file in the runtime directory remembers across restarts of this process that the keyring has been unlocked since
/// login. It names the bus and the keyring's connection to it. Neither name is ever used again, so the note becomes
/// invalid when the keyring's daemon ends, at logout at the latest.
@GLibActor
final class KeyringSource: LockSource {
  /// Whether the keyring has been seen unlocked since its daemon started, so since login.
  private(set) var wasUnlocked = false
  /// The longest wait for each reply.
  private let deadline = Duration.seconds(3)
  private let directory = Directories.runtime + "/chappie"
  private var owner: String?
  private var lateAnswer: Task<Void, Never>?

  init(_ connection: BusConnection) {
    super.init("keyring", service: "org.freedesktop.secrets", connection)
  }

  override func received(_ signal: BusSignal) {
    guard signal.member == "PropertiesChanged" || signal.member.hasPrefix("Collection") else { return }
    Task.onGLib { await read() }
  }

  override func ownerChanged(_ owner: String?) async {
    self.owner = owner
    wasUnlocked = owner.map { (try? Files.read(notePath, limit: 1 << 10)) == note($0) } ?? false
    if owner == nil { reading = .silent } else { await read() }
  }

  /// Reads the keyring's state.
  func read() async {
    let asked = owner
    var isLocked: Bool?
    do {
      let collection = try await readAlias(timeout: deadline)
      if collection != .root {
        isLocked = try await connection.property(
          service, collection, "org.freedesktop.Secret.Collection", "Locked", timeout: deadline
        ).unboxed.value(as: Bool.self)
      }
    } catch {
      if (error as? GLibError)?.isTimeout == true { readWhenItAnswers() }
    }
    // The answer of a keyring that was replaced meanwhile is old.
    guard owner == asked else { return }
    if isLocked == false { noteUnlocked() }
    reading = isLocked.map { $0 ? .locked : .unlocked } ?? .silent
  }

  /// A keyring stopped by a signal sends no signal when it continues. Its late answer shows that it has.
  private func readWhenItAnswers() {
    guard lateAnswer == nil else { return }
    lateAnswer = Task.onGLib {
      let answer = try? await readAlias(timeout: nil)
      lateAnswer = nil
      if answer != nil { await read() }
    }
  }

  private func readAlias(timeout: Duration?) async throws -> ObjectPath {
    try await connection.call(
      service, path, "org.freedesktop.Secret.Service", "ReadAlias", .tuple("default"), timeout: timeout,
      autoStart: false
    ).member(0, "collection")
  }

  /// The note is a convenience, so a failure to write it is ignored.
  private func noteUnlocked() {
    guard !wasUnlocked, let owner else { return }
    wasUnlocked = true
    try? Files.makeDirectory(directory)
    try? Files.write(note(owner), to: notePath)
  }

  private var notePath: String { directory + "/unlocked-keyring" }

  private func note(_ owner: String) -> [UInt8] { Array("\(connection.guid) \(owner)\n".utf8) }
}
