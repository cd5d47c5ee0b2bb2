import CGLib
import Glibc

/// A regular expression in JSON Schema's syntax, for patterns and texts from untrusted sources: the cost of a match is
/// bounded.
///
/// PCRE counts the steps of a match separately for each start position, and does not count the steps of skipping ahead.
/// So the search for the start position is part of the pattern here, and the number of steps is limited by the length
/// of the text.
public final class BoundedPattern: @unchecked Sendable {
  /// The maximum length of a text, in bytes.
  public static let textLimit = 32 << 10
  /// The maximum length of a pattern, in bytes.
  public static let lengthLimit = 4 << 10
  private static let shortText = 2 << 10

  private let pattern: String
  /// Used for short texts. Immutable and thread-safe.
  private let matcher: RegularExpression

  /// - Throws: ``GLibError`` when the pattern is too long or not a regular expression.
  public init(_ pattern: String) throws {
    guard pattern.utf8.count <= Self.lengthLimit else {
      throw GLibError(domain: "chappie-regex", code: 0, message: "it is longer than \(Self.lengthLimit) bytes")
    }
    // The pattern is compiled alone first, because an incomplete pattern could become valid inside the search pattern.
    _ = try RegularExpression(pattern)
    self.pattern = pattern
    matcher = try RegularExpression(searching: pattern, steps: 400_000)
  }

  /// Whether the pattern occurs in `text`.
  ///
  /// - Parameter time: the remaining processor time; the time of this match is subtracted.
  /// - Throws: ``GLibError`` when `text` is too long, the match takes too many steps, or no time remains.
  public func matches(_ text: String, within time: inout Duration) throws -> Bool {
    guard text.utf8.count <= Self.textLimit, time > .zero else { throw GLibError.timedOut }
    let start = ThreadCPUTime.now
    defer { time -= ThreadCPUTime.now - start }
    if text.utf8.count <= Self.shortText { return try matcher.matches(text) }
    return try RegularExpression(searching: pattern, steps: 80_000).matches(text)
  }
}

/// The processor time of the calling thread. Unlike a clock it stops while other threads use the processor.
public enum ThreadCPUTime {
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
