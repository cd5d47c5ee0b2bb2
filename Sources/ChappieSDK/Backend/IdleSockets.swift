// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The open sockets of a slot that no turn uses, for the next turn of any client of the slot: a handshake takes three
/// round trips.
///
/// A lock of the screen and a change of the credential close them all, and those that a turn uses then are closed after
/// the turn.
@GLibActor
final class IdleSockets {
  /// The most sockets. More than one is of use where several conversations go on at once, since each socket continues
  /// one conversation.
  static let capacity = 4

  /// A socket for a turn.
  enum Socket {
    case open(SocketConnection)
    /// It is being opened.
    case opening(Task<SocketConnection, any Error>)

    @GLibActor
    func close() {
      switch self {
      case .open(let connection): connection.socket.close()
      case .opening(let task):
        task.cancel()
        Task.onGLib { try? await task.value.socket.close() }
      }
    }
  }

  private let patience: Duration
  /// The longest idle first.
  private var kept: [(connection: SocketConnection, timer: Timer)] = []
  private var opening: Task<SocketConnection, any Error>?
  private var observations: [Observation] = []
  /// Counts the times that all sockets were closed.
  private(set) var generation = 0

  /// - Parameter patience: how long an idle socket stays open.
  init(patience: Duration = .seconds(120)) {
    self.patience = patience
  }

  fileprivate convenience init(of slot: CredentialSlot) {
    self.init()
    observations = [
      slot.observe { [weak self] change in
        if change.replacesCredential { self?.closeAll() }
      },
      LockMonitor.shared.observation { [weak self] in
        if LockMonitor.shared.state.isLocked { self?.closeAll() }
      },
    ]
  }

  isolated deinit {
    closeAll()
  }

  /// Removes the best socket for a request of a conversation: the one that continues it, or one that continues none, or
  /// the longest idle one.
  func take(for threadID: String) -> Socket? {
    let index =
      kept.firstIndex { $0.connection.lastThread == threadID } ?? kept.firstIndex { $0.connection.lastThread == nil }
    if let index { return .open(kept.remove(at: index).connection) }
    if let opening {
      self.opening = nil
      return .opening(opening)
    }
    return kept.isEmpty ? nil : .open(kept.removeFirst().connection)
  }

  /// Keeps the socket of a turn that has ended.
  ///
  /// - Parameters:
  ///   - began: ``generation`` at the turn's beginning. A socket of an earlier one is closed.
  ///   - isContinued: whether a later turn may continue from its exchange.
  func keep(_ socket: Socket?, since began: Int, isContinued: Bool) {
    switch socket {
    case .open(let connection) where began != generation: connection.socket.close()
    case .open(let connection):
      if !isContinued { connection.forget() }
      keep(connection)
    case .opening: socket?.close()
    case nil: break
    }
  }

  private func keep(_ connection: SocketConnection) {
    guard connection.socket.isOpen else { return }
    if kept.count == Self.capacity { kept.removeFirst().connection.socket.close() }
    kept.append((connection, Timer(after: patience) { [weak self] in self?.close(connection) }))
  }

  /// Opens a socket for a coming turn, unless one is here. A failure is left to that turn.
  func prepare(_ open: @escaping @GLibActor () async throws -> SocketConnection) {
    guard opening == nil, !kept.contains(where: { $0.connection.isFresh }) else { return }
    let task = Task.onGLib { try await open() }
    opening = task
    Task.onGLib {
      let result = await task.result
      // A turn may have taken it meanwhile.
      guard opening == task else { return }
      opening = nil
      switch result {
      case .success(let connection):
        connection.rest()
        keep(connection)
      case .failure(let error):
        Log.debug("No connection is ready for the next turn: \(reason: ExchangeFailure.reason(of: error)).")
      }
    }
  }

  /// Drops the exchange of a conversation, which does not continue from it.
  func forget(_ threadID: String) {
    for (connection, _) in kept where connection.lastThread == threadID { connection.forget() }
  }

  private func close(_ connection: SocketConnection) {
    kept.removeAll { $0.connection === connection }
    connection.socket.close()
  }

  private func closeAll() {
    generation += 1
    opening?.cancel()
    opening = nil
    for (connection, _) in kept { connection.socket.close() }
    kept = []
  }
}

extension CredentialSlot {
  /// The idle sockets of this slot.
  var idleSockets: IdleSockets { attached { IdleSockets(of: self) } }
}

extension CredentialSlot.Change {
  /// Whether the credential of the old state does not count any more: signed out, refused, or signed in anew.
  fileprivate var replacesCredential: Bool {
    let hadAnother = old.accountInfo.map { $0 != new.accountInfo } ?? false
    let signedIn = new.deviceLinkState == .linked && old.deviceLinkState != .linked
    return hadAnother || signedIn || (new.isSpent && !old.isSpent)
  }
}
