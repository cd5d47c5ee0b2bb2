// SPDX-License-Identifier: Apache-2.0

// The input is the data of events, one on each line, or the body of a refusal: no data of a server may end this
// process, and no text may hold a character that D-Bus forbids.

@testable import ChappieSDK

private func check(_ text: String) {
  precondition(!text.utf8.contains(0), "a D-Bus string cannot hold U+0000")
}

private func scan(_ json: borrowing Span<UInt8>) {
  let count = json.count
  _ = JSONScanner.members(of: json) { key, value in
    precondition(key.lowerBound > 0 && key.upperBound < value.lowerBound && value.upperBound <= count)
    check(JSONText.decode(json, key))
    check(JSONText.decode(json, value))
    if let content = JSONScanner.stringContent(json, value) { check(JSONText.decode(json, content)) }
  }
  check(JSONText.decode(json, 0..<count))
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let text = AnswerText()
  var assembler = ResponseAssembler(text)
  for line in input.split(separator: .lineFeed) {
    let data = Array(line)
    scan(data.span)
    text.append(assembler.take(ResponseEvent.decode(data.span)))
  }
  check(text.whole)
  if case .failed(let failure) = assembler.outcome { precondition(failure.error.description.count < 1000) }
  let failure = ExchangeFailure(
    status: 429, retryAfter: String(decoding: input.prefix(40), as: UTF8.self), body: input, host: "h")
  precondition(failure.error.description.count < 1000)
  switch failure {
  case .rateLimited(_, let delay?), .unavailable(_, let delay?), .planUnavailable(_, let delay?):
    precondition(delay >= 0 && delay.isFinite)
  default: break
  }
  return 0
}
