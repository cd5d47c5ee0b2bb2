// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A client of `org.freedesktop.Notifications`, with or without a running server.
///
/// It sends nothing before the first use. Then it follows the server's starts, ends and restarts.
@GLibActor
final class NotificationServer {
  enum Event {
    /// A server has started. It shows none of our notifications.
    case appeared
    /// The server and all its notifications have gone.
    case vanished
    case closed(UInt32)
    /// `activationToken` lets the program that the click starts take the focus.
    case invoked(UInt32, action: String, activationToken: String?)
  }

  /// A server that answers.
  typealias Reachable = (owner: String, capabilities: NotificationCapabilities)

  private enum Presence {
    /// Ends when the bus has named the server.
    case unknown(Wait)
    case absent
    case present(owner: String, NotificationCapabilities?)
  }

  private static let name = "org.freedesktop.Notifications"
  private static let path = ObjectPath.root.appending("org").appending("freedesktop").appending("Notifications")
  /// The time limit of each call. A server can be busy for a while, above all at login.
  private static let deadline = Duration.seconds(10)
  /// The time limit for the start of a server by the bus.
  private static let startDeadline = Duration.seconds(25)

  /// The most signals that wait for a reply. Other programs' notifications cause some, too.
  private static let mostEarly = 256

  private let connection: BusConnection
  private let receive: @GLibActor (Event) -> Void
  private var presence = Presence.unknown(Wait())
  private var watch: Observation?
  private var signals: Observation?
  private var latestToken: (id: UInt32, token: String)?
  private let note: NotificationNote
  /// The ids of our notifications.
  private var ids: Set<UInt32> = []
  /// The ids that calls of `Notify` replace that have not been answered; 0 for none.
  private var replaced: [UInt32] = []
  /// Finished when there are none, once the service ends.
  private var ending: Wait?
  /// Signals about ids that the reply to one of these calls may name.
  private var early: [BusSignal] = []

  init(_ connection: BusConnection, _ receive: @escaping @GLibActor (Event) -> Void) {
    self.connection = connection
    self.receive = receive
    note = NotificationNote(connection)
  }

  /// Withdraws the notifications of an earlier process that was killed.
  func withdrawEarlier() {
    guard let (owner, earlier) = note.read() else { return }
    Task.onGLib {
      for id in earlier { _ = try? await call(owner, "CloseNotification", .tuple(id)) }
      write()
    }
  }

  private func write() {
    note.write(owner, ids)
  }

  // MARK: Calling

  /// The server, which the bus starts if necessary and possible; nil if no server answers.
  func reach() async -> Reachable? {
    guard ending == nil else { return nil }
    if case .unknown(let known) = presence {
      follow()
      await known.value()
    }
    if case .absent = presence {
      // The bus signals the new owner before it replies.
      _ = try? await connection.call(
        "org.freedesktop.DBus", .root, "org.freedesktop.DBus", "StartServiceByName", .tuple(Self.name, UInt32(0)),
        timeout: Self.startDeadline)
    }
    guard case .present(let owner, let known) = presence else { return nil }
    guard let capabilities = if let known { known } else { await askCapabilities(owner) }, owner == self.owner
    else { return nil }
    presence = .present(owner: owner, capabilities)
    return (owner, capabilities)
  }

  private func askCapabilities(_ owner: String) async -> NotificationCapabilities? {
    do {
      return NotificationCapabilities(try await call(owner, "GetCapabilities", .tuple()).member(0, "capabilities"))
    } catch let error as GLibError where error.isTimeout {
      return nil
    } catch {
      return NotificationCapabilities([])
    }
  }

  /// Shows `notification` in place of another; 0 for none.
  ///
  /// - Parameter shown: receives its id before any event about it.
  /// - Returns: whether it is shown.
  func show(
    _ notification: DesktopNotification, replacing id: UInt32, on server: Reachable,
    _ shown: @GLibActor (UInt32) -> Void
  ) async -> Bool {
    guard ending == nil else { return false }
    let arguments = notification.arguments(replacing: id, for: server.capabilities)
    replaced.append(id)
    let new: UInt32 = (try? await call(server.owner, "Notify", arguments).member(0, "id")) ?? 0
    if let call = replaced.firstIndex(of: id) { replaced.remove(at: call) }
    if let ending {
      if new != 0 { _ = try? await call(server.owner, "CloseNotification", .tuple(new)) }
      if replaced.isEmpty { ending.finish() }
      return false
    }
    let isShown = new != 0 && server.owner == owner
    if isShown {
      ids.remove(id)
      ids.insert(new)
      write()
      shown(new)
    }
    let signals = early
    early = []
    for signal in signals { receive(signal) }
    return isShown
  }

  /// Closes a notification, if its server still runs.
  func close(_ id: UInt32) async {
    guard let owner else { return }
    _ = try? await call(owner, "CloseNotification", .tuple(id))
    if ids.remove(id) != nil { write() }
  }

  /// Closes all notifications, shows no other, and passes no event on.
  func end() async {
    let ending = Wait()
    self.ending = ending
    // All at once, and to their ends: an id is forgotten only after its server was told.
    let closes = ids.map { id in Task.onGLib { await close(id) } }
    for close in closes { await close.value }
    if !replaced.isEmpty { await ending.value() }
  }

  private func call(_ owner: String, _ member: String, _ arguments: Variant) async throws -> Variant {
    try await connection.call(
      owner, Self.path, Self.name, member, arguments, timeout: Self.deadline, autoStart: false)
  }

  // MARK: Following

  private var owner: String? {
    if case .present(let owner, _) = presence { return owner }
    return nil
  }

  private func follow() {
    guard watch == nil else { return }
    signals = connection.subscribe(.init(sender: Self.name, path: Self.path, interface: Self.name)) {
      [weak self] in self?.receive($0)
    }
    watch = connection.watchName(Self.name) { [weak self] in self?.ownerChanged($0) }
  }

  private func ownerChanged(_ owner: String?) {
    let old = presence
    presence = owner.map { .present(owner: $0, nil) } ?? .absent
    latestToken = nil
    early = []
    if !ids.isEmpty {
      ids = []
      write()
    }
    switch old {
    case .unknown(let known): known.finish()
    case .present: receive(.vanished)
    case .absent: break
    }
    if owner != nil { receive(.appeared) }
  }

  private func receive(_ signal: BusSignal) {
    guard ending == nil, let id = try? signal.arguments.member(0, "id", as: UInt32.self) else { return }
    // The user may be faster than the reply with the id.
    if replaced.contains(id) || (!ids.contains(id) && !replaced.isEmpty) {
      if early.count < Self.mostEarly { early.append(signal) }
      return
    }
    switch signal.member {
    case "NotificationClosed":
      if ids.remove(id) != nil { write() }
      receive(.closed(id))
    case "ActivationToken":
      latestToken = (try? signal.arguments.member(1, "token")).map { (id, $0) }
    case "ActionInvoked":
      guard let action: String = try? signal.arguments.member(1, "action") else { return }
      let token = latestToken.flatMap { $0.id == id ? $0.token : nil }
      receive(.invoked(id, action: action, activationToken: token))
    default:
      break
    }
  }
}
