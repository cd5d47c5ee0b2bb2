import CGLib

/// The time that one event source may use in an iteration of the main loop while other sources wait.
public struct TimeSlice {
  /// The length in microseconds. With a hundred busy sources an iteration takes 50 ms.
  private static let length: gint64 = 500
  /// The number of calls between two readings of the clock.
  private static let stride = 8

  private let end = g_get_monotonic_time() + Self.length
  private var count = 0

  public init() {}

  /// Whether the slice has ended. Call it after each unit of work of a few microseconds.
  public mutating func isOver() -> Bool {
    count += 1
    return count.isMultiple(of: Self.stride) && hasPassed
  }

  /// Whether the slice has ended, by the clock.
  var hasPassed: Bool { g_get_monotonic_time() >= end }
}
