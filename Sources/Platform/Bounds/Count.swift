// SPDX-License-Identifier: Apache-2.0

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
