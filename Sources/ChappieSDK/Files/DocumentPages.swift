// SPDX-License-Identifier: Apache-2.0
import Platform

/// The pages of a document in what Poppler's programs write. A hostile document chooses what that is.
enum DocumentPages {
  /// The largest number of pages that is believed.
  static let countLimit = 1_000_000

  /// The number of pages in the output of `pdfinfo`; nil if there is none between 1 and ``countLimit``.
  static func count(_ info: [UInt8]) -> Int? {
    // The document's own words, such as its title, come before.
    let field = Array("Pages:".utf8)
    guard let line = info.split(separator: UInt8(ascii: "\n")).last(where: { $0.starts(with: field) }) else {
      return nil
    }
    let digits = line.dropFirst(field.count).drop { $0 == UInt8(ascii: " ") }
    let count = Count(text: String(decoding: digits, as: UTF8.self))?.value
    return count.flatMap { (1...countLimit).contains($0) ? $0 : nil }
  }

  /// The text of each page in the output of `pdftotext`, which ends each with a form feed. A page without that end is
  /// left out: it is not complete.
  static func pages(_ output: [UInt8]) -> [String] {
    output.split(separator: UInt8(ascii: "\u{C}"), omittingEmptySubsequences: false).dropLast().map { page in
      let kept = page.filter { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }
      let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }
      let end = kept.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
      return String(decoding: kept[..<end].drop { $0 == UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }

  /// The text of a document for a model.
  ///
  /// - Parameters:
  ///   - pages: the text of the first pages.
  ///   - pictures: the pages with a picture, in ascending order.
  static func text(_ pages: [String], pictures: [Int], pageCount: Int) -> String {
    var parts = pages.enumerated().map { index, page in
      page.isEmpty ? "Page \(index + 1) has no text." : "Page \(index + 1)\n\n\(page)"
    }
    if pages.count < pageCount { parts.append(leftOut(from: pages.count + 1, to: pageCount)) }
    parts.append(pictures.isEmpty ? "There is no picture of a page." : "Pictures of pages: \(list(pictures)).")
    return parts.joined(separator: "\n\n")
  }

  private static func leftOut(from first: Int, to last: Int) -> String {
    first == last
      ? "The text of page \(first) is left out." : "The text of pages \(first) to \(last) is left out."
  }

  /// Ascending numbers as ranges, such as `1 to 3, 5`.
  private static func list(_ numbers: [Int]) -> String {
    RangeSet(numbers.map { $0..<$0 + 1 }).ranges
      .map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound - 1)" }
      .joined(separator: ", ")
  }
}
