// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The memory that the service holds for applications: prompts, conversations, tools, and the answers of running and of
/// ended turns.
///
/// One application may hold 64 MiB and all of them 128 MiB, which leaves room below 256 MiB for uncounted memory. The
/// last 48 MiB are reserved for applications that hold at most 16 MiB, so that large ones do not keep a new one from
/// starting a turn.
@GLibActor
final class MemoryBudget {
  typealias Lease = Budget.Lease

  /// The estimated bytes that a turn, or another call that is counted, takes beside its texts.
  nonisolated static let callOverhead = 32 << 10
  /// The ratio of a JSON value's size in memory to its text, at worst: a list of digits.
  nonisolated static let jsonFactor = 16
  /// The number of copies of a reply on its way to the bus: the value, the message, and its bytes in the queue.
  nonisolated static let replyFactor = 3
  /// The size in bytes up to which replies are not counted.
  private static let smallReply = 256 << 10
  /// The size in bytes above which the end of a lease trims the heap, since it leaves many holes.
  nonisolated static let largeLease = 1 << 20

  private static let noticeInterval = Duration.seconds(60)
  private var lastNotice: ContinuousClock.Instant?
  /// The memory that is held for convenience, the oldest first. Its application takes it when it needs the room.
  private var spares: [(lease: Lease, drop: @GLibActor () -> Void)] = []
  private let budget = Budget(Budget.Bounds(each: 64 << 20, all: 128 << 20, reserve: 48 << 20, share: 16 << 20))

  /// Takes `bytes` for `application`. Its spare memory is released first, the oldest first, where there is no room.
  ///
  /// - Throws: ``ChappieClientError/limitExceeded(_:)`` if the application, or all together, would hold too much.
  func lease(_ bytes: Int, for application: Application) throws(ChappieClientError) -> Lease {
    let lease = budget.empty(for: application)
    try resize(lease, to: bytes)
    return lease
  }

  /// Changes the size of a lease to `bytes`, as ``lease(_:for:)`` takes them. A refusal leaves it as it is.
  ///
  /// - Throws: as ``lease(_:for:)``.
  func resize(_ lease: Lease, to bytes: Int) throws(ChappieClientError) {
    while true {
      do throws(Budget.Exhausted) {
        return try lease.resize(to: bytes)
      } catch {
        // Where all together hold too much, nobody's convenience counts.
        let isOwn = error != .all
        guard let oldest = spares.first(where: { !isOwn || $0.lease.holder == lease.holder }) else {
          throw refusal(error, of: lease.holder)
        }
        end(oldest.lease)
        oldest.drop()
      }
    }
  }

  /// Gives the memory of `lease` back to the budget.
  func end(_ lease: Lease) {
    spares.removeAll { $0.lease === lease }
    if lease.amount > Self.largeLease { MemoryHardening.trimHeapSoon() }
    lease.end()
  }

  /// Marks the memory of `lease` as spare. When its application needs the room, the lease ends and `drop` is called,
  /// which must release the memory.
  func spare(_ lease: Lease, _ drop: @escaping @GLibActor () -> Void) {
    spares.append((lease, drop))
  }

  // MARK: Replies

  /// Counts a reply that `make` builds, until the reply has left this process.
  ///
  /// - Parameter bytes: the estimated size of the reply. Up to 256 KiB are not counted.
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``, and the errors of `make`.
  func reply(
    of bytes: Int, for application: Application, over connection: BusConnection, _ make: () throws -> Variant
  ) throws -> Variant {
    guard bytes > Self.smallReply else { return try make() }
    let lease = try lease(bytes * Self.replyFactor, for: application)
    let reply = try make()
    Task.onGLib {
      try? await connection.flush()
      end(lease)
    }
    return reply
  }

  private func refusal(_ reason: Budget.Exhausted, of application: Application) -> ChappieClientError {
    // A refused caller may try again and again, and must not fill the log.
    let isDue = lastNotice.map { .now - $0 > Self.noticeInterval } ?? true
    if isDue { lastNotice = .now }
    switch reason {
    case .holder(let limit):
      if isDue { Log.notice("\(application) holds as much memory as one application may, and gets no more.") }
      return .limitExceeded(
        "This program has the service hold as much as one may, \(limit >> 20) MiB: wait for turns to end, close "
          + "clients, or clear conversations.")
    case .all:
      if isDue {
        Log.notice("All applications together hold as much memory as they may; \(application) gets no more.")
      }
      return .limitExceeded("The service holds as much as it may for all programs: try again soon.")
    }
  }
}

/// The lease for the memory of a running turn, as a sum of its parts.
@GLibActor
final class TurnMemory {
  enum Part {
    /// What the caller sent with the call or as the question.
    case sent
    /// A line that has not ended.
    case line
    /// Results that came before their calls wait for them.
    case early
    /// What the engine holds: requests, images and the answer.
    case engine
  }

  let lease: MemoryBudget.Lease
  private let budget: MemoryBudget
  private var parts: [Part: Int]

  /// - Parameters:
  ///   - sent: the bytes that the caller sent with the call.
  ///   - engine: the bytes that the engine will need at least.
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``
  init(_ budget: MemoryBudget, for application: Application, sent: Int, engine: Int) throws(ChappieClientError) {
    self.budget = budget
    parts = [.sent: MemoryBudget.callOverhead + sent, .engine: engine]
    lease = try budget.lease(MemoryBudget.callOverhead + sent + engine, for: application)
  }

  /// Changes the size of a part to `bytes`. A refusal leaves it as it is.
  ///
  /// - Throws: as ``init(_:for:sent:engine:)``.
  func set(_ part: Part, to bytes: Int) throws(ChappieClientError) {
    let others = parts.reduce(0) { $1.key == part ? $0 : $0 + $1.value }
    try budget.resize(lease, to: others + bytes)
    parts[part] = bytes
  }

  /// Adds `bytes` to a part, as ``set(_:to:)``.
  func add(_ bytes: Int, to part: Part) throws(ChappieClientError) {
    try set(part, to: parts[part, default: 0] + bytes)
  }
}
