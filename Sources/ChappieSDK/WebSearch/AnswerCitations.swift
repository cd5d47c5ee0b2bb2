// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Removes the model's own marks of its sources from a text that comes in pieces: from U+E200, by way of a word and
/// U+E202, to U+E201. They are for programs that have the sources beside the text.
struct CitationMarks {
  private enum Look {
    /// The bytes begin with no mark.
    case none
    /// More bytes tell whether they begin with one.
    case unfinished
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
  mutating func shown(_ piece: String) -> String {
    guard !held.isEmpty || piece.utf8.contains(Self.lead) else { return piece }
    let bytes = held + piece.utf8
    var shown: [UInt8] = []
    var rest = bytes[...]
    while let index = rest.firstIndex(of: Self.lead) {
      shown += rest[..<index]
      rest = rest[index...]
      switch Self.look(rest) {
      case .none: shown.append(rest.removeFirst())
      case .mark(let length): rest = rest.dropFirst(length)
      case .unfinished:
        held = Array(rest)
        return String(decoding: shown, as: UTF8.self)
      }
    }
    held = []
    return String(decoding: shown + rest, as: UTF8.self)
  }

  /// `text` without its marks.
  static func removed(from text: String) -> String {
    var marks = CitationMarks()
    return marks.shown(text) + String(decoding: marks.held, as: UTF8.self)
  }

  /// The places of the marks, in bytes.
  static func places(in text: [UInt8]) -> [Range<Int>] {
    var places: [Range<Int>] = []
    var position = 0
    while let index = text[position...].firstIndex(of: lead) {
      guard case .mark(let length) = look(text[index...]) else {
        position = index + 1
        continue
      }
      places.append(index..<index + length)
      position = index + length
    }
    return places
  }

  private static func look(_ bytes: ArraySlice<UInt8>) -> Look {
    var rest = bytes
    guard rest.starts(with: start) else { return start.starts(with: rest) ? .unfinished : .none }
    rest = rest.dropFirst(start.count)
    let word = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    rest = rest.dropFirst(word.count)
    guard word.count <= limits.word else { return .none }
    guard rest.starts(with: separator) else { return separator.starts(with: rest) ? .unfinished : .none }
    for index in rest.indices.prefix(limits.rest) where rest[index...].starts(with: end) {
      return .mark(length: index + end.count - bytes.startIndex)
    }
    return rest.count < limits.rest ? .unfinished : .none
  }
}

extension ChappieJSONValue {
  /// The most sources of one message.
  private static let citationLimit = 256

  /// The sources that a finished message names, with places in ``messageText``.
  var citations: [ChappieCitation] {
    var citations: [ChappieCitation] = []
    var offset = 0
    for part in self["content"]?.arrayValue ?? [] {
      guard let raw = part["text"]?.stringValue else { continue }
      let annotations = (part["annotations"]?.arrayValue ?? []).filter { $0["type"]?.stringValue == "url_citation" }
      if !annotations.isEmpty {
        let text = CitedText(raw, annotations)
        citations += annotations.compactMap { text.citation($0, at: offset) }
      }
      offset += CitationMarks.removed(from: raw).utf8.count
    }
    return Array(citations.prefix(Self.citationLimit))
  }
}

/// A text as the model sent it, in which the places of its sources are looked up.
private struct CitedText {
  private let bytes: [UInt8]
  private let marks: [Range<Int>]
  /// The offsets in bytes of the code points in which the backend counts.
  private var offsets: [Int: Int] = [:]

  init(_ text: String, _ annotations: [ChappieJSONValue]) {
    bytes = Array(text.utf8)
    marks = CitationMarks.places(in: bytes)
    let indices = Set(annotations.flatMap { [Self.index($0, "start_index"), Self.index($0, "end_index")] })
    var offset = 0
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if indices.contains(index) { offsets[index] = offset }
      offset += UTF8.width(scalar)
    }
    offsets[text.unicodeScalars.count] = offset
  }

  private static func index(_ annotation: ChappieJSONValue, _ name: String) -> Int {
    annotation[name]?.number(in: 0...TurnLimits.answerBytes) ?? -1
  }

  /// The source of an annotation; nil without an address that a browser may open.
  func citation(_ annotation: ChappieJSONValue, at offset: Int) -> ChappieCitation? {
    guard let address = annotation["url"]?.stringValue, let url = ParsedURL(address),
      ["http", "https"].contains(url.scheme), let host = url.host, !url.hasCredentials,
      !Redaction.holdsPartOfToken(address)
    else { return nil }
    let place = named(annotation, host) ?? link(to: address)
    return ChappieCitation(
      url: ChappieAddress(address: address), title: annotation["title"]?.stringValue.map(Redaction.message) ?? "",
      range: place.map { offset + shown($0.lowerBound)..<offset + shown($0.upperBound) })
  }

  /// The place that the annotation names, if it is a link to the source or a mark.
  private func named(_ annotation: ChappieJSONValue, _ host: String) -> Range<Int>? {
    guard let start = offsets[Self.index(annotation, "start_index")],
      let end = offsets[Self.index(annotation, "end_index")], start <= end
    else { return nil }
    let fits = marks.contains { $0.overlaps(start..<end) } || Self.place(of: host, in: bytes[start..<end]) != nil
    return fits ? start..<end : nil
  }

  /// The first place of an address in the text.
  private func link(to address: String) -> Range<Int>? { Self.place(of: address, in: bytes[...]) }

  private static func place(of text: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    let wanted = Array(text.utf8)
    guard let first = wanted.first else { return nil }
    for index in bytes.indices where bytes[index] == first && bytes[index...].starts(with: wanted) {
      return index..<index + wanted.count
    }
    return nil
  }

  /// An offset in the text without its marks.
  private func shown(_ offset: Int) -> Int {
    offset - marks.reduce(0) { $0 + min(offset, $1.upperBound) - min(offset, $1.lowerBound) }
  }
}
