// SPDX-License-Identifier: Apache-2.0

// The input is an answer in Markdown, in pieces of its choice: whatever it is, the terminal gets no control sequence but
// those of the layout, and what may still change is limited. The input is the width, the length of a piece, and the
// answer.

import AnswerRendering

/// The text without the sequences that a layout may have.
private func withoutSequences(_ text: String) -> String {
  let erased = #/\r(\x1B\[[0-9]+A\x1B\[K\x1B\[B\x1B\[J\x1B\[A|\x1B\[K)/#
  return text.replacing(erased, with: "")
    .replacing(#/\x1B\[[0-9;]*m|\x1B\[\?2026[hl]|\x1B\]8;;[!-~]*\x1B\\/#, with: "")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count > 2 else { return 0 }
  let format = AnswerFormat(
    width: 10 + Int(input[0]), height: 24, hasColors: true, links: .both, hasFrames: true, drawsClusters: false,
    rewraps: true)
  let length = 1 + Int(input[1])
  var stream = AnswerStream(format)
  var output = ""
  var rest = String(decoding: input[2...], as: UTF8.self).unicodeScalars[...]
  while !rest.isEmpty {
    stream.append(String(rest.prefix(length)))
    rest = rest.dropFirst(length)
    output += stream.frame(format)
  }
  output += stream.frame(format, isComplete: true)
  let isSafe = withoutSequences(output).unicodeScalars.allSatisfy {
    $0 == "\n" || $0.properties.generalCategory != .control
  }
  precondition(isSafe, "a control character reaches the terminal")
  precondition(output.isEmpty || output.hasSuffix("\n"), "the last line does not end")
  return 0
}
