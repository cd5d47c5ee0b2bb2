// SPDX-License-Identifier: Apache-2.0
import Platform

/// A value that a log may show without a label: a number, a word of this program, or an error without personal data.
///
/// A type that holds a secret, a prompt, an answer or an address of a person must not conform.
package protocol LogValue {
  /// One line.
  var logText: String { get }
}

/// A line of the log: a literal with values that a log may show.
///
/// A `String` needs a label that says what it is, and no `String` becomes a line by itself.
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

    /// An identifier, such as a bus name, a host, a model or an id. Characters that do not belong in an identifier are
    /// shown as `?`, and at most 128 are shown.
    package mutating func appendInterpolation(name: some StringProtocol) {
      let shown = name.unicodeScalars.prefix(128).map { LogMessage.isOfName($0) ? Character($0) : "?" }
      text += shown.isEmpty ? "?" : String(shown)
    }

    /// The path of a file.
    package mutating func appendInterpolation(path: String) {
      text += LogMessage.line(path, limit: 1024)
    }

    /// The reason for a failure, as a library, the system or this program words it. It must not be a text from a server
    /// or a caller.
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

  /// There is no `@`, because an address of a person is no identifier.
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
  /// In seconds, or in milliseconds below one second.
  package var logText: String {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
    return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
  }
}
