import CGLib
import Glibc

/// A regular expression as JSON Schema has them, for patterns and texts that nobody here chose: what a match costs is
/// bounded.
///
/// PCRE counts the steps of a match from each position of the text anew, and does not count what it passes in one go.
/// So the search for the position is made a part of the pattern, and how many steps there may be depends on the length
/// of the text.
public final class BoundedPattern: @unchecked Sendable {
  /// The longest text that is looked at, in bytes.
  public static let textLimit = 32 << 10
  /// The longest pattern, in bytes.
  public static let lengthLimit = 4 << 10
  private static let shortText = 2 << 10

  private let pattern: String
  /// For short texts. Immutable, and safe on any thread.
  private let matcher: RegularExpression

  /// - Throws: ``GLibError`` for a pattern that is no regular expression, or too long.
  public init(_ pattern: String) throws {
    guard pattern.utf8.count <= Self.lengthLimit else {
      throw GLibError(domain: "chappie-regex", code: 0, message: "it is longer than \(Self.lengthLimit) bytes")
    }
    // By itself: what is not whole could become so in between.
    _ = try RegularExpression(pattern)
    self.pattern = pattern
    matcher = try RegularExpression(searching: pattern, steps: 400_000)
  }

  /// Whether the pattern is found anywhere in `text`.
  ///
  /// - Parameter time: the processor time that is left; what the match took is taken off.
  /// - Throws: ``GLibError`` when `text` is too long, the match takes too many steps, or no time is left.
  public func matches(_ text: String, within time: inout Duration) throws -> Bool {
    guard text.utf8.count <= Self.textLimit, time > .zero else { throw GLibError.timedOut }
    let start = ThreadCPUTime.now
    defer { time -= ThreadCPUTime.now - start }
    if text.utf8.count <= Self.shortText { return try matcher.matches(text) }
    return try RegularExpression(searching: pattern, steps: 80_000).matches(text)
  }
}

/// The processor time of the thread that asks: unlike a clock it does not run while others have the processor.
public enum ThreadCPUTime {
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
