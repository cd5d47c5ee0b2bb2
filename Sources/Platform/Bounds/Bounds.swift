// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A time between the years 1970 and 9999, in whole Unix seconds.
///
/// Every time that comes from outside (network, bus, keyring, files, clock) is read into this type. Its arithmetic ends
/// at the bounds of the range, so no number from outside can overflow.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Unix seconds in UTC, from 0 to 253,402,300,799.
  public let unixSeconds: Int64

  /// The end of the year 9999.
  private static let last: Int64 = 253_402_300_799
  public static let distantPast = Timestamp(clamping: 0)
  public static let distantFuture = Timestamp(clamping: last)

  /// Nil for a time before 1970 or after 9999.
  public init?(_ unixSeconds: Int64) {
    guard (0...Self.last).contains(unixSeconds) else { return nil }
    self.unixSeconds = unixSeconds
  }

  /// Drops the fraction. Nil for a time before 1970 or after 9999, and for what is no number.
  public init?(_ unixSeconds: Double) {
    guard unixSeconds >= 0, let whole = Int64(exactly: unixSeconds.rounded(.down)) else { return nil }
    self.init(whole)
  }

  /// Unix seconds in digits alone. Nil for any other text, and for a time out of range.
  public init?(text: some StringProtocol) {
    guard let seconds = Count(text: text) else { return nil }
    self.init(Int64(seconds.value))
  }

  /// The nearest time in the range.
  public init(clamping unixSeconds: Int64) {
    self.unixSeconds = min(max(unixSeconds, 0), Self.last)
  }

  /// The time of this machine's clock, which may be wrong and may be set.
  public static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(clamping: Int64(time.tv_sec))
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.unixSeconds < right.unixSeconds }

  /// The time `seconds` later, at most the end of the range.
  public static func + (time: Timestamp, seconds: Int64) -> Timestamp {
    let (sum, overflows) = time.unixSeconds.addingReportingOverflow(seconds)
    return overflows ? distantFuture : Timestamp(clamping: sum)
  }

  /// The time `seconds` earlier, at least the start of the range.
  public static func - (time: Timestamp, seconds: Int64) -> Timestamp {
    let (difference, overflows) = time.unixSeconds.subtractingReportingOverflow(seconds)
    return overflows ? distantPast : Timestamp(clamping: difference)
  }

  /// The time with the microseconds after it, in Unix microseconds.
  public func microseconds(_ rest: Int32) -> Int64 { unixSeconds * 1_000_000 + Int64(rest) }

  /// The seconds from `earlier` to this time; negative when `earlier` is later.
  public func seconds(since earlier: Timestamp) -> Int64 { unixSeconds - earlier.unixSeconds }
}

/// A number of things, from 0 to 2^53: what every reader of JSON can hold exactly.
///
/// Every count and size that comes from outside (network, bus, keyring, files) is read into this type. Its arithmetic
/// ends at the bounds of the range, so no number from outside can overflow.
public struct Count: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
  public let value: Int

  private static let last = 1 << 53
  public static let maximum = Count(clamping: last)

  /// Nil for a number out of range.
  public init?(_ value: some BinaryInteger) {
    guard let value = Int(exactly: value), (0...Self.last).contains(value) else { return nil }
    self.value = value
  }

  /// Drops the fraction. Nil for a number out of range, and for what is no number.
  public init?(_ value: Double) {
    guard value >= 0, let whole = Int64(exactly: value.rounded(.down)) else { return nil }
    self.init(whole)
  }

  /// Digits alone. Nil for any other text, and for a number out of range.
  public init?(text: some StringProtocol) {
    guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = Int(text) else {
      return nil
    }
    self.init(number)
  }

  /// The nearest number in the range.
  public init(clamping value: some BinaryInteger) {
    self.value = min(max(Int(clamping: value), 0), Self.last)
  }

  public init(integerLiteral value: Int) {
    self.init(clamping: value)
  }

  public static func < (left: Count, right: Count) -> Bool { left.value < right.value }

  /// The sum, at most 2^53.
  public static func + (left: Count, right: Count) -> Count { Count(clamping: left.value + right.value) }

  /// The difference, at least 0.
  public static func - (left: Count, right: Count) -> Count { Count(clamping: left.value - right.value) }

  public static func += (left: inout Count, right: Count) { left = left + right }
}
