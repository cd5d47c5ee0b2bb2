/// The limits of age and size of a store. The store enforces them on each write and once a day.
public struct ChappieThreadStoreRetentionPolicy: Sendable, Hashable {
  /// The most that all threads may take, in bytes; nil for no limit. Above it the store deletes threads: first the oldest
  /// archived ones, then the oldest active ones. It never deletes a thread that is being written or has a running turn.
  public var maximumTotalBytes: Int64?
  /// The store archives a thread after this many seconds without a change; nil for never.
  public var archiveInactiveAfter: Double?
  /// The store deletes an archived thread after this many seconds; nil for never.
  public var deleteArchivedAfter: Double?

  /// Makes a policy. By default it allows 256 MiB, archives after 30 days and deletes 60 days later.
  ///
  /// A negative number counts as 0, and so does NaN.
  public init(
    maximumTotalBytes: Int64? = 256 << 20, archiveInactiveAfter: Double? = 30 * 86_400,
    deleteArchivedAfter: Double? = 60 * 86_400
  ) {
    self.maximumTotalBytes = maximumTotalBytes.map { max(0, $0) }
    self.archiveInactiveAfter = archiveInactiveAfter.map(Self.clamped)
    self.deleteArchivedAfter = deleteArchivedAfter.map(Self.clamped)
  }

  /// 256 MiB, archiving after 30 days, deletion 60 days later.
  public static let `default` = ChappieThreadStoreRetentionPolicy()

  /// No limits: the store deletes nothing by itself.
  public static let unlimited = ChappieThreadStoreRetentionPolicy(
    maximumTotalBytes: nil, archiveInactiveAfter: nil, deleteArchivedAfter: nil)

  private static func clamped(_ seconds: Double) -> Double {
    seconds.isNaN ? 0 : max(0, seconds)
  }
}
