/// What a store forgets by itself: when something is written, and once a day.
public struct ChappieThreadStoreRetentionPolicy: Sendable, Hashable {
  /// The most that all threads may take, in bytes; nil for no cap. Above it threads are deleted, archived or not: the
  /// archived ones that are oldest first, then the oldest active ones; never one that is written to, or that a turn is
  /// under way in.
  public var maximumTotalBytes: Int64?
  /// Seconds without a change after which a thread is archived; nil for never.
  public var archiveInactiveAfter: Double?
  /// Seconds after which an archived thread is deleted; nil for never.
  public var deleteArchivedAfter: Double?

  /// Negative numbers, and numbers that are none, count as 0.
  public init(
    maximumTotalBytes: Int64? = 256 << 20, archiveInactiveAfter: Double? = 30 * 86_400,
    deleteArchivedAfter: Double? = 60 * 86_400
  ) {
    self.maximumTotalBytes = maximumTotalBytes.map { max(0, $0) }
    self.archiveInactiveAfter = archiveInactiveAfter.map(Self.clamped)
    self.deleteArchivedAfter = deleteArchivedAfter.map(Self.clamped)
  }

  public static let `default` = ChappieThreadStoreRetentionPolicy()

  /// Forgets nothing.
  public static let unlimited = ChappieThreadStoreRetentionPolicy(
    maximumTotalBytes: nil, archiveInactiveAfter: nil, deleteArchivedAfter: nil)

  private static func clamped(_ seconds: Double) -> Double {
    seconds.isNaN ? 0 : max(0, seconds)
  }
}
