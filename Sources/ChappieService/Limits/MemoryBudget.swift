import ChappieSDK
import GLibBridge
import Platform

/// The memory that applications have the service hold: what they ask, conversations, tools, answers that come and
/// answers that are kept.
///
/// All of it together leaves room below 256 MiB for what is not counted one by one. An application that holds nothing
/// yet can always ask something.
@GLibActor
final class MemoryBudget {
  typealias Lease = Budget<Application>.Lease

  /// What each call takes beside what it brings.
  nonisolated static let callOverhead = 32 << 10
  /// How much more room a JSON value takes in memory than as text: a list of digits, at the worst.
  nonisolated static let jsonFactor = 16
  /// How much room a reply takes on its way to the bus: as a value, as the message, and in the queue.
  nonisolated static let replyFactor = 3
  /// Below this a reply is not worth counting.
  private static let smallReply = 256 << 10
  /// A lease that was larger leaves so many holes in the heap that they are given back.
  nonisolated static let largeLease = 1 << 20

  /// What is held for convenience, and given up when its application wants something else.
  @GLibActor
  final class Spare {
    let lease: Lease
    fileprivate let drop: @GLibActor () -> Void

    fileprivate init(_ lease: Lease, _ drop: @escaping @GLibActor () -> Void) {
      self.lease = lease
      self.drop = drop
    }
  }

  private static let noticeInterval = Duration.seconds(60)
  private var lastNotice: ContinuousClock.Instant?
  /// The oldest first.
  private var spares: [Spare] = []
  private let budget = Budget<Application>(
    .init(perHolder: 64 << 20, inAll: 128 << 20, reserve: 48 << 20, share: 16 << 20))

  /// Takes `bytes` for `application`.
  ///
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``.
  func lease(_ bytes: Int, for application: Application) throws(ChappieClientError) -> Lease {
    do throws(Budget<Application>.Exhausted) {
      return try givingUpSpares(of: application) { () throws(Budget<Application>.Exhausted) in
        try budget.lease(bytes, for: application)
      }
    } catch {
      throw refusal(error, of: application)
    }
  }

  /// Makes a lease larger or smaller; it stays as it is where there is no room.
  ///
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``.
  func resize(_ lease: Lease, to bytes: Int) throws(ChappieClientError) {
    do throws(Budget<Application>.Exhausted) {
      try givingUpSpares(of: lease.holder) { () throws(Budget<Application>.Exhausted) in try lease.resize(to: bytes) }
    } catch {
      throw refusal(error, of: lease.holder)
    }
  }

  /// Gives back what `lease` holds.
  func end(_ lease: Lease) {
    if lease.amount > Self.largeLease { MemoryHardening.trimHeapSoon() }
    lease.end()
  }

  // MARK: Spares

  /// Notes that what `lease` counts can be given up: `drop` lets go of it.
  func spare(_ lease: Lease, _ drop: @escaping @GLibActor () -> Void) -> Spare {
    let spare = Spare(lease, drop)
    spares.append(spare)
    return spare
  }

  /// Gives back what `spare` holds.
  func end(_ spare: Spare) {
    spares.removeAll { $0 === spare }
    end(spare.lease)
  }

  private func givingUpSpares<Result>(
    of application: Application, _ take: () throws(Budget<Application>.Exhausted) -> Result
  ) throws(Budget<Application>.Exhausted) -> Result {
    while true {
      do throws(Budget<Application>.Exhausted) {
        return try take()
      } catch {
        guard let oldest = spares.first(where: { $0.lease.holder == application }) else { throw error }
        end(oldest)
        oldest.drop()
      }
    }
  }

  // MARK: Replies

  /// Counts a reply of so many bytes that `make` makes, until it has left this process.
  ///
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``, and what `make` throws.
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

  private func refusal(_ reason: Budget<Application>.Exhausted, of application: Application) -> ChappieClientError {
    // Who is refused asks again and again, and shall not fill the log.
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
