// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc

/// A regular expression in JSON Schema's syntax, matched by GRegex with limits on time and memory.
public final class RegularExpression: @unchecked Sendable {
  /// Immutable and thread-safe.
  private let pointer: OpaquePointer

  /// PCRE's limits on steps and on heap memory in KiB: some expressions take exponential time.
  private static let bounds = "(*LIMIT_MATCH=1000000)(*LIMIT_HEAP=16384)"

  /// The maximum processor time for all replacements in one text.
  private static let replacementTime = Duration.seconds(1)

  /// - Throws: ``GLibError`` when the pattern is not a regular expression.
  public init(_ pattern: String) throws {
    // In JavaScript such a pattern is invalid; in PCRE it would lift the limits.
    guard !pattern.hasPrefix("(*"), !pattern.utf8.contains(0) else {
      throw GLibError(domain: "chappie-regex", code: 0, message: "it is not a regular expression")
    }
    pointer = try checked {
      g_regex_new(Self.bounds + Self.translated(pattern), G_REGEX_DOLLAR_ENDONLY, GRegexMatchFlags(rawValue: 0), &$0)
    }
  }

  deinit {
    g_regex_unref(pointer)
  }

  /// Replaces each match in `text` by `replacement`. U+0000 becomes U+FFFD.
  ///
  /// - Throws: ``GLibError`` when a limit is exceeded.
  public func replacing(in text: String, with replacement: String) throws -> String {
    // GLib's result would end at the first zero byte.
    var text = text.withoutZeros
    return try text.withUTF8 { bytes in
      try bytes.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress else { return try replacing("", length: 0, replacement) }
        return try replacing(start, length: characters.count, replacement)
      }
    }
  }

  /// Replaces one match at a time instead of with one GLib call. For each match PCRE scans the rest of the text, so a
  /// long text with many matches would take minutes.
  private func replacing(_ text: UnsafePointer<CChar>, length: Int, _ replacement: String) throws -> String {
    let bytes = UnsafeRawBufferPointer(start: text, count: length)
    let start = ThreadCPUTime.now
    var result: [UInt8] = []
    var end = 0
    var match: OpaquePointer?
    defer { g_match_info_free(match) }
    var isFound = try checked {
      g_regex_match_full(pointer, text, gssize(length), 0, GRegexMatchFlags(rawValue: 0), &match, &$0) != 0
    }
    while isFound {
      guard ThreadCPUTime.now - start < Self.replacementTime else { throw GLibError.timedOut }
      var first: gint = 0
      var last: gint = 0
      g_match_info_fetch_pos(match, 0, &first, &last)
      result += bytes[end..<max(end, Int(first))]
      result += replacement.utf8
      end = max(end, Int(last))
      isFound = try checked { g_match_info_next(match, &$0) != 0 }
    }
    return String(decoding: result + bytes[end...], as: UTF8.self)
  }

  /// Translates JavaScript's `\u00e4` to PCRE's `\x{00e4}`.
  private static func translated(_ pattern: String) -> String {
    var result = ""
    var rest = pattern[...]
    while let character = rest.popFirst() {
      result.append(character)
      guard character == "\\", let escaped = rest.popFirst() else { continue }
      let digits = rest.prefix(4)
      if escaped == "u", digits.count == 4, digits.allSatisfy(\.isHexDigit) {
        result += "x{\(digits)}"
        rest.removeFirst(4)
      } else {
        result.append(escaped)
      }
    }
    return result
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
