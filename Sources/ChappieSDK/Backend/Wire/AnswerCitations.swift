// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Removes the model's own marks of its sources from a text that comes in pieces: from U+E200, by way of a word and
/// U+E202, to U+E201. They are for programs that have the sources beside the text. Elsewhere these signs are removed too.
struct CitationMarks {
  private enum Look {
    /// The bytes begin with no sign of a mark.
    case none
    /// More bytes tell how long the mark is.
    case unfinished
    /// A mark, or a sign that begins none.
    case mark(length: Int)
  }

  private static let lead: UInt8 = 0xEE
  private static let start: [UInt8] = [0xEE, 0x88, 0x80]
  private static let separator: [UInt8] = [0xEE, 0x88, 0x82]
  private static let end: [UInt8] = [0xEE, 0x88, 0x81]
  /// The longest word and the longest rest of a mark, in bytes. What is longer is text.
  private static let limits = (word: 16, rest: 512)

  /// The beginning of what may become a mark.
  private var held: [UInt8] = []

  /// The part of the text up to the end of `piece` that is certain to be text, and was not returned before.
  ///
  /// - Parameter isLast: whether the text ends with it.
  mutating func shown(_ piece: String, isLast: Bool = false) -> String {
    guard !held.isEmpty || piece.utf8.contains(Self.lead) else { return piece }
    let bytes = held + piece.utf8
    let (marks, end) = Self.read(bytes, isLast: isLast)
    held = Array(bytes[end...])
    var shown: [UInt8] = []
    var start = 0
    for mark in marks + [end..<end] {
      shown += bytes[start..<mark.lowerBound]
      start = mark.upperBound
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// `text` without its marks.
  static func removed(from text: String) -> String {
    var marks = CitationMarks()
    return marks.shown(text, isLast: true)
  }

  /// The places of what is removed, in bytes.
  static func places(in text: [UInt8]) -> [Range<Int>] { read(text, isLast: true).marks }

  /// - Returns: the places of marks, and the end of what is certain.
  private static func read(_ text: [UInt8], isLast: Bool) -> (marks: [Range<Int>], end: Int) {
    var marks: [Range<Int>] = []
    var position = 0
    while let index = text[position...].firstIndex(of: lead) {
      switch look(text[index...], isLast: isLast) {
      case .none: position = index + 1
      case .unfinished: return (marks, index)
      case .mark(let length):
        position = index + length
        marks.append(index..<position)
      }
    }
    return (marks, text.count)
  }

  private static func look(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Look {
    guard [start, separator, end].contains(where: { bytes.starts(with: $0) }) else { return .none }
    let sign = Look.mark(length: start.count)
    guard bytes.starts(with: start) else { return sign }
    var rest = bytes.dropFirst(start.count)
    let word = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    rest = rest.dropFirst(word.count)
    guard word.count <= limits.word, rest.isEmpty || rest.starts(with: separator) else { return sign }
    for index in rest.indices.prefix(limits.rest) where rest[index] == lead {
      if rest[index...].starts(with: end) { return .mark(length: index + end.count - bytes.startIndex) }
      // No mark has another one within it. This also keeps the work in proportion to the text.
      if rest[index...].starts(with: start) { return sign }
    }
    return rest.count < limits.rest && !isLast ? .unfinished : sign
  }
}

extension ChappieJSONValue {
  /// The most sources of one message, and of one answer.
  static let citationLimit = 256

  /// The sources that a finished message names, with places in ``messageText``.
  var citations: [ChappieCitation] {
    let parts = self["content"]?.arrayValue ?? []
    guard parts.contains(where: { $0["annotations"]?.arrayValue?.isEmpty == false }) else { return [] }
    var citations: [ChappieCitation] = []
    var offset = 0
    for part in parts {
      guard let raw = part.partText ?? part.partRefusal else { continue }
      let annotations = (part["annotations"]?.arrayValue ?? []).prefix(Self.citationLimit - citations.count)
        .compactMap(Annotation.init)
      if !annotations.isEmpty {
        let text = CitedText(raw, annotations)
        citations += annotations.map { text.citation($0, at: offset) }
      }
      offset += CitationMarks.removed(from: raw).utf8.count
    }
    return citations
  }

  /// The source that this annotation names, with a place in the text so far without its marks. Nil for another
  /// annotation.
  func citation(inUnfinished text: String) -> ChappieCitation? {
    Annotation(self).map { CitedText(text, [$0], isWhole: false).citation($0, at: 0) }
  }
}

/// A source as the backend names it.
private struct Annotation {
  /// The longest address, in bytes.
  static let addressLimit = 2048

  let address: String
  let title: String
  /// The place in code points. Nil without a possible one.
  let indices: Range<Int>?

  /// Nil for another annotation, or without an address that a browser may open.
  init?(_ json: ChappieJSONValue) {
    guard json["type"]?.stringValue == "url_citation", let address = json["url"]?.stringValue,
      address.utf8.count <= Self.addressLimit, WebPageAddress(address, allowsPlainHTTP: true) != nil,
      !Redaction.holdsPartOfToken(address)
    else { return nil }
    self.address = address
    title = json["title"]?.stringValue.map(Redaction.message) ?? ""
    let bounds = ["start_index", "end_index"].compactMap { json[$0]?.number(in: 0...Int(Int32.max)) }
    indices = bounds.count == 2 && bounds[0] <= bounds[1] ? bounds[0]..<bounds[1] : nil
  }
}

/// A text as the model sent it, in which the places of its sources are looked up.
private struct CitedText {
  /// With more marks no place is looked up: each citation goes over all of them.
  private static let markLimit = 4096

  private let bytes: [UInt8]
  private let marks: [Range<Int>]
  /// The offsets in bytes of the code points in which the backend counts.
  private var offsets: [Int: Int] = [:]
  /// The first place of each address in the text.
  private var links: [String: Range<Int>] = [:]

  /// - Parameter isWhole: whether nothing follows the text.
  init(_ text: String, _ annotations: [Annotation], isWhole: Bool = true) {
    bytes = Array(text.utf8)
    marks = CitationMarks.places(in: bytes)
    let indices = Set(annotations.compactMap(\.indices).flatMap { [$0.lowerBound, $0.upperBound] })
    var offset = 0
    var index = 0
    for scalar in text.unicodeScalars {
      if indices.contains(index) { offsets[index] = offset }
      offset += UTF8.width(scalar)
      index += 1
    }
    offsets[index] = offset
    // An address at the end of an unfinished text may go on.
    for place in Self.addresses(in: bytes) where isWhole || place.upperBound < bytes.count {
      let address = String(decoding: bytes[place], as: UTF8.self)
      if links[address] == nil { links[address] = place }
    }
  }

  /// The places of all addresses, up to what ends one in a text.
  private static func addresses(in bytes: [UInt8]) -> [Range<Int>] {
    let ends = Set(" \n\r\t()[]<>\"'".utf8)
    var places: [Range<Int>] = []
    var position = 0
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "h")) {
      guard bytes[start...].starts(with: "http".utf8) else {
        position = start + 1
        continue
      }
      let rest = bytes[start...].prefix(Annotation.addressLimit + 1).prefix { !ends.contains($0) }
      // The full stop of a sentence is no part of it.
      let trailing = rest.reversed().prefix { ".,;:!?".utf8.contains($0) }.count
      places.append(start..<rest.endIndex - trailing)
      position = max(rest.endIndex, start + 1)
    }
    return places
  }

  func citation(_ annotation: Annotation, at offset: Int) -> ChappieCitation {
    let place = marks.count > Self.markLimit ? nil : named(annotation) ?? links[annotation.address]
    return ChappieCitation(
      url: ChappieAddress(address: annotation.address), title: annotation.title,
      range: place.map { offset + shown($0.lowerBound)..<offset + shown($0.upperBound) })
  }

  /// The mark or the link at the place that the annotation names. The backend may name a wrong one.
  private func named(_ annotation: Annotation) -> Range<Int>? {
    guard let indices = annotation.indices, let start = offsets[indices.lowerBound],
      let end = offsets[indices.upperBound], start < end
    else { return nil }
    if let mark = marks.first(where: { $0.overlaps(start..<end) }) { return mark }
    return isLink(bytes[start..<end], to: annotation.address) ? start..<end : nil
  }

  /// Whether a part of the text is a link of Markdown to an address, with or without parentheses around it. Its own
  /// query may differ, because the backend adds a mark of its own there.
  private func isLink(_ part: ArraySlice<UInt8>, to address: String) -> Bool {
    guard part.count <= 2 * Annotation.addressLimit else { return false }
    let (text, link) = (String(decoding: part, as: UTF8.self), Array(part))
    guard text.hasPrefix("[") || text.hasPrefix("(["), text.hasSuffix(")"), !text.contains(where: \.isNewline)
    else { return false }
    let page = address.prefix { $0 != "?" && $0 != "#" }
    return Self.addresses(in: link).contains { String(decoding: link[$0], as: UTF8.self).hasPrefix(page) }
  }

  /// An offset in the text without its marks.
  private func shown(_ offset: Int) -> Int {
    offset - marks.reduce(0) { $0 + min(offset, $1.upperBound) - min(offset, $1.lowerBound) }
  }
}
