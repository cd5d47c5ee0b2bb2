import Platform

/// What a log may show by itself: numbers, words of this program's own, and errors that say nothing of a person's.
///
/// A type that holds a secret, a prompt, an answer or an address of a person must not conform.
package protocol LogValue {
  /// One line.
  var logText: String { get }
}

/// A line of the log: a sentence of the program's own, with values in it that a log may show.
///
/// A text is taken with a label alone, which says what it is; nothing makes a line of a text that is not in the source.
package struct LogMessage: ExpressibleByStringInterpolation, Sendable {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text: String

    package init(literalCapacity: Int, interpolationCount: Int) {
      text = ""
      text.reserveCapacity(literalCapacity + 24 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: StaticString) {
      text += literal.description
    }

    package mutating func appendInterpolation(_ value: some LogValue) {
      text += LogMessage.line(value.logText, limit: 400)
    }

    /// An identifier, such as a name on the bus, a host, a model or an id: other characters than these have, and what
    /// is longer than they are, are not shown.
    package mutating func appendInterpolation(name: some StringProtocol) {
      let shown = name.unicodeScalars.prefix(128).map { LogMessage.isOfName($0) ? Character($0) : "?" }
      text += shown.isEmpty ? "?" : String(shown)
    }

    /// The path of a file.
    package mutating func appendInterpolation(path: String) {
      text += LogMessage.line(path, limit: 1024)
    }

    /// What a library, the system or this program says of a failure. It must be a text that nobody else writes: not a
    /// server, and not a caller.
    package mutating func appendInterpolation(reason: String) {
      text += LogMessage.line(reason, limit: 400)
    }
  }

  let text: String

  package init(stringLiteral text: StaticString) {
    self.text = text.description
  }

  package init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
  }

  private static func line(_ text: String, limit: Int) -> String {
    let line = text.terminalSafeLine
    return line.count > limit ? line.prefix(limit) + "…" : line
  }

  /// No `@`: an address of a person is no identifier.
  private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", ":", "/", "+": true
    default: false
    }
  }
}

extension Int: LogValue {}
extension Int32: LogValue {}
extension Int64: LogValue {}
extension UInt16: LogValue {}
extension UInt32: LogValue {}
extension UInt64: LogValue {}

extension LogValue where Self: BinaryInteger {
  package var logText: String { String(self) }
}

extension LogValue where Self: RawRepresentable, RawValue == String {
  package var logText: String { rawValue }
}

extension FileError: LogValue {
  package var logText: String { description }
}

extension GLibError: LogValue {
  package var logText: String { message }
}

extension Duration: LogValue {
  /// In seconds, or in milliseconds where it is shorter than one.
  package var logText: String {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
    return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
  }
}
