// SPDX-License-Identifier: Apache-2.0

// The input is JSON: a parsed value is the same after writing and parsing again, and another parser accepts it too.

import FoundationEssentials

@testable import ChappieSDK

/// Accepts any value and ignores its content.
private struct AnyValue: Decodable {
  init(from decoder: any Decoder) {}
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let value = try? JSONReader.read(input.span, valueLimit: 1_000_000) else { return 0 }
  let written = Array(value.json.utf8)
  precondition(
    (try? JSONReader.read(written.span, valueLimit: 1_000_000)) == value, "a written value is parsed as another one")
  for text in [input, written] {
    precondition((try? JSONDecoder().decode(AnyValue.self, from: Data(text))) != nil, "the output is not JSON")
  }
  return 0
}
