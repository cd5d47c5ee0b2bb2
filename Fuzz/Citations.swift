// SPDX-License-Identifier: Apache-2.0

// The input is an answer with the model's marks of its sources, and annotations with any places: whatever they are, no
// sign of a mark is shown, and the place of a source is a range of whole characters within the text that has come. The
// input is the length of a piece, the answer, and behind a byte 0xFF four bytes for each annotation.

@testable import ChappieSDK

private let addresses = ["https://example.org/a", "https://example.org/ab", "http://example.org/?q=1", "file:///a"]

private func annotation(_ bytes: ArraySlice<UInt8>, _ index: Int) -> ChappieJSONValue {
  let numbers = bytes.map { Int64($0) } + Array(repeating: 0, count: 4 - bytes.count)
  return [
    "type": "url_citation", "url": .string(addresses[index % addresses.count]), "title": "A page",
    "start_index": .integer(numbers[0] << 8 | numbers[1]), "end_index": .integer(numbers[2] << 8 | numbers[3]),
  ]
}

private func check(_ text: String, _ sources: [ChappieCitation]) {
  precondition(!text.unicodeScalars.contains { (0xE200...0xE202).contains($0.value) }, "a sign of a mark is shown")
  let bytes = Array(text.utf8)
  for range in sources.compactMap(\.range) {
    precondition(range.upperBound <= bytes.count, "a place is outside of the text")
    for offset in [range.lowerBound, range.upperBound] where offset < bytes.count {
      precondition(bytes[offset] & 0xC0 != 0x80, "a place begins or ends within a character")
    }
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let length = input.first.map({ 1 + Int($0) }) else { return 0 }
  let parts = input.dropFirst().split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
  let whole = String(decoding: parts[0], as: UTF8.self)
  var (rest, annotations) = (parts.count > 1 ? parts[1] : [], [ChappieJSONValue]())
  while !rest.isEmpty {
    annotations.append(annotation(rest.prefix(4), annotations.count))
    rest = rest.dropFirst(4)
  }
  let text = AnswerText()
  var assembler = ResponseAssembler(text)
  var (scalars, place) = (whole.unicodeScalars[...], 0)
  while !scalars.isEmpty {
    text.append(assembler.take(.textDelta(String(scalars.prefix(length)))))
    scalars = scalars.dropFirst(length)
    guard !annotations.isEmpty else { continue }
    check(text.whole, [assembler.source(of: .annotation(annotations[place % annotations.count]))].compactMap(\.self))
    place += 1
  }
  let part: ChappieJSONValue = ["type": "output_text", "text": .string(whole), "annotations": .array(annotations)]
  text.append(assembler.take(.itemDone(["type": "message", "content": [part]])))
  check(text.whole, assembler.citations)
  precondition(text.whole == CitationMarks.removed(from: whole), "the pieces are another text than the whole")
  return 0
}
