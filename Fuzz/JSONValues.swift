// Any bytes as JSON: what is read can be written and is then the same, and another reader takes it too.

import FoundationEssentials

@testable import ChappieSDK

/// Takes any value, and looks at nothing.
private struct AnyValue: Decodable {
  init(from decoder: any Decoder) {}
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let value = try? JSONReader.read(input.span, valueLimit: 1_000_000) else { return 0 }
  let written = Array(value.json.utf8)
  precondition((try? JSONReader.read(written.span, valueLimit: 1_000_000)) == value, "what was written is read as something else")
  for text in [input, written] {
    precondition((try? JSONDecoder().decode(AnyValue.self, from: Data(text))) != nil, "it is no JSON")
  }
  return 0
}
