// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension String {
  /// The lines of this text, with long lines wrapped between words. The continuation of an indented line is indented
  /// too.
  ///
  /// - Parameter columns: the width of a terminal; nil wraps nothing.
  func lines(within columns: Int?) -> [String] {
    let lines = replacing("\t", with: "    ").split(separator: "\n", omittingEmptySubsequences: false)
    guard let columns else { return lines.map(String.init) }
    return lines.flatMap { Self.parts(of: $0, within: columns) }
  }

  /// The beginning of this text that fits into `columns`, with an ellipsis if something is left out.
  func shortened(to columns: Int) -> String {
    guard self.columns > columns else { return self }
    return prefix(upTo: end(within: columns - 1)) + "…"
  }

  private static func parts(of line: Substring, within columns: Int) -> [String] {
    let indent = String(line.prefix(columns / 2).prefix { $0 == " " })
    var parts: [String] = []
    var rest = line.dropFirst(indent.count)
    repeat {
      let end = rest.end(within: columns - indent.count)
      let space = end == rest.endIndex || rest[end] == " " ? end : rest[..<end].lastIndex(of: " ") ?? end
      parts.append(indent + rest[..<space])
      rest = rest[space...].drop { $0 == " " }
    } while !rest.isEmpty
    return parts
  }
}

extension StringProtocol {
  /// The end of the beginning that fits into `columns`. It has at least one character, unless the text is empty.
  fileprivate func end(within columns: Int) -> Index {
    var room = columns
    var index = startIndex
    while index < endIndex {
      room -= self[index].columns
      guard room >= 0 || index == startIndex else { break }
      formIndex(after: &index)
    }
    return index
  }
}

extension String {
  /// This text without the characters at its end that satisfy `isDropped`.
  func trimmingEnd(while isDropped: (Character) -> Bool) -> String {
    String(reversed().drop(while: isDropped).reversed())
  }

  /// This text without the white space around it.
  var trimmed: String {
    String(drop(while: \.isWhitespace)).trimmingEnd(while: \.isWhitespace)
  }
}

extension StandardStream {
  /// Writes a line, as ``write(_:)``.
  func line(_ text: String) {
    write(text + "\n")
  }
}

/// A bar for a terminal that shows a percentage.
struct UsageBar {
  /// 0 or more; 100 is all.
  let percent: Double

  /// - Parameter percent: any number; the bar limits it to 0 to 1,000,000.
  init(percent: Double) {
    self.percent = percent.isFinite ? min(max(percent, 0), 1_000_000) : 0
  }

  /// The percentage as a whole number: 0 and 100 appear only for exactly nothing and for everything.
  var wholePercent: Int { Count(percent < 1 ? percent.rounded(.up) : percent)?.value ?? 0 }

  /// Twenty blocks and the number. The last block is filled only at 100 per cent.
  var text: String {
    let filled = min(20, wholePercent == 0 ? 0 : max(1, wholePercent / 5))
    let (full, empty) = StandardStream.output.has("█░") ? ("█", "░") : ("#", ".")
    let blocks = String(repeating: full, count: filled) + String(repeating: empty, count: 20 - filled)
    let room = Self.figure(100).count
    let figure = Self.figure(wholePercent)
    return blocks + "  " + String(repeating: " ", count: max(0, room - figure.count)) + figure
  }

  /// A percentage for people.
  static func figure(_ percent: Int) -> String { tr("\(LocalizedNumber.text(percent))%") }
}

/// A number of bytes as text for people.
struct ByteCount {
  let bytes: UInt64

  /// The number in its largest unit, with one decimal if it is below ten: `512 B`, `1.5 KiB`, `20 MiB`.
  var text: String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var tenths = Count(clamping: bytes).value
    tenths = tenths * 10 / 1024
    var units = ["KiB", "MiB", "GiB", "TiB"][...]
    while tenths >= 10240, units.count > 1 {
      tenths /= 1024
      units = units.dropFirst()
    }
    let number =
      tenths < 100 && !tenths.isMultiple(of: 10)
      ? LocalizedNumber.text(Double(tenths) / 10, decimals: 1) : LocalizedNumber.text(tenths / 10)
    return "\(number) \(units[units.startIndex])"
  }
}
