import CGLib

/// The time that one source of the main loop may take in a round while others wait for theirs.
public struct TimeSlice {
  /// In microseconds. With a hundred sources that never rest a round takes 50 ms.
  private static let length: gint64 = 500
  /// The clock is looked at each so many times.
  private static let stride = 8

  private let end = g_get_monotonic_time() + Self.length
  private var count = 0

  public init() {}

  /// Whether the time is over; to be asked after each piece of work of some microseconds.
  public mutating func isOver() -> Bool {
    count += 1
    return count.isMultiple(of: Self.stride) && hasPassed
  }

  /// Whether the time is over, by the clock.
  var hasPassed: Bool { g_get_monotonic_time() >= end }
}
