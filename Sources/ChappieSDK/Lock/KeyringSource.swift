// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The lock state of the keyring's default collection, as the keyring reports it.
///
/// It serves display and change detection. Only reading an item shows whether the item can be read.
@GLibActor
final class KeyringSource: LockSource {
  private static let service = "org.freedesktop.secrets"
  private static let path = ObjectPath.root.appending("org").appending("freedesktop").appending("secrets")
  private static let deadline = Duration.seconds(3)

  let name = "keyring"
  private(set) var reading = LockReading.silent {
    didSet { if reading != oldValue { changed() } }
  }
  /// Whether the keyring has been seen unlocked since its daemon started, so since login.
  private(set) var wasUnlocked = false
  private let connection: BusConnection
  private let note: FirstUnlockNote
  private var owner: String?
  private var lateAnswer: Task<Void, Never>?
  private var changed: @GLibActor () -> Void = {}
  private var watch: Observation?
  private var subscription: Observation?

  init(_ connection: BusConnection) {
    self.connection = connection
    note = FirstUnlockNote(connection)
  }

  func start(_ changed: @escaping @GLibActor () -> Void) async {
    self.changed = changed
    subscription = connection.subscribe(.init(sender: Self.service)) { [weak self] signal in
      guard signal.member == "PropertiesChanged" || signal.member.hasPrefix("Collection") else { return }
      Task.onGLib { await self?.read() }
    }
    let first = Wait()
    watch = connection.watchName(Self.service) { [weak self] owner in
      Task.onGLib {
        await self?.ownerChanged(owner)
        first.finish()
      }
    }
    await first.value()
  }

  private func ownerChanged(_ owner: String?) async {
    self.owner = owner
    wasUnlocked = owner.map(note.names) ?? false
    guard owner != nil else {
      reading = .silent
      return
    }
    await read()
  }

  /// Reads the keyring's state.
  func read() async {
    let alias: Variant
    do {
      alias = try await readAlias(timeout: Self.deadline)
    } catch {
      reading = .silent
      if (error as? GLibError)?.isTimeout == true { readWhenItAnswers() }
      return
    }
    guard
      let collection = try? alias.member(0, "collection", as: ObjectPath.self), collection != .root,
      let value = try? await connection.property(
        Self.service, collection, "org.freedesktop.Secret.Collection", "Locked", timeout: Self.deadline),
      let isLocked = try? value.unboxed.value(as: Bool.self)
    else {
      reading = .silent
      return
    }
    if !isLocked { noteUnlocked() }
    reading = isLocked ? .locked : .unlocked
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

  private func readAlias(timeout: Duration?) async throws -> Variant {
    try await connection.call(
      Self.service, Self.path, "org.freedesktop.Secret.Service", "ReadAlias", .tuple("default"), timeout: timeout,
      autoStart: false)
  }

  private func noteUnlocked() {
    guard !wasUnlocked, let owner else { return }
    wasUnlocked = true
    note.write(owner)
  }
}
