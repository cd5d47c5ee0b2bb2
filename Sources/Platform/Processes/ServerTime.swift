import Synchronization

/// The time as servers tell it, in the `Date` of the answers that this process got.
public enum ServerTime {
  private static let last = Mutex<(time: Timestamp, boot: Int64)?>(nil)
  /// The years 2020 to 2100, in Unix seconds. Another time is no server's.
  public static let credible: Range<Int64> = 1_577_836_800..<4_133_980_800

  /// Notes the time of an answer that has just come, in Unix seconds.
  public static func note(_ unixSeconds: Int64) {
    guard credible.contains(unixSeconds), let time = Timestamp(unixSeconds) else { return }
    last.withLock { $0 = (time, BootTime.now.seconds) }
  }

  /// The time now: that of the last answer, and what has passed since. Nil before the first answer.
  public static var now: Timestamp? {
    last.withLock { last in last.map { $0.time + (BootTime.now.seconds - $0.boot) } }
  }
}
