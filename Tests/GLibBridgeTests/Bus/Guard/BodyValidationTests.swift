// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

/// Accepted and rejected bodies.
struct BodyValidationTests {
  private func fault(_ body: [UInt8], _ signature: String, limit: Int = 100) -> WireFault? {
    let text = Array(signature.utf8) + [0]
    do throws(WireFault) {
      try BodyValidation.check(body[...], .little, signature: text.dropLast(), valueLimit: limit)
      return nil
    } catch {
      return error
    }
  }

  @Test func acceptsEveryType() {
    let body = WireBytes.body { wire in
      wire.string("text")
      wire.array(alignment: 8) { entries in
        entries.align(8)
        entries.string("key")
        entries.signature("(bos)")
        entries.align(8)
        entries.uint32(1)
        entries.string("/a/b")
        entries.string("ü")
      }
      wire.array(alignment: 1) { $0.byte(1) }
      wire.array(alignment: 8) { _ in }
      wire.byte(2)
    }
    #expect(fault(body, "sa{sv}aya(ss)y") == nil)
  }

  @Test func limitsTheNumberOfValues() {
    let body = WireBytes.body { wire in
      wire.array(alignment: 4) { strings in for _ in 0..<50 { strings.string("") } }
    }
    #expect(fault(body, "as", limit: 51) == nil)
    #expect(fault(body, "as", limit: 50) == .tooManyValues)
    // An array of numbers counts as one value.
    let numbers = WireBytes.body { wire in
      wire.array(alignment: 4) { numbers in for number in 0..<1000 { numbers.uint32(number) } }
    }
    #expect(fault(numbers, "au", limit: 1) == nil)
  }

  @Test func countsNestedVariants() {
    // Variants nested 60 deep, and deeper than the specification allows.
    func nested(_ depth: Int) -> [UInt8] {
      WireBytes.body { wire in
        for _ in 0..<depth { wire.signature("v") }
        wire.signature("y")
        wire.byte(0)
      }
    }
    #expect(fault(nested(60), "v", limit: 1000) == nil)
    #expect(fault(nested(60), "v", limit: 20) == .tooManyValues)
    #expect(fault(nested(80), "v", limit: 1000) == .malformed)
  }

  @Test(arguments: [
    ("s", WireBytes.body { $0.uint32(100) }),
    ("s", [1, 0, 0, 0, 0xFF, 0]),
    ("s", [2, 0, 0, 0, 0x61, 0, 0]),
    ("s", [1, 0, 0, 0, 0x61, 0x62]),
    ("o", WireBytes.body { $0.string("no path") }),
    ("g", WireBytes.body { $0.signature("a") }),
    ("b", WireBytes.body { $0.uint32(2) }),
    ("v", WireBytes.body { $0.signature("") }),
    ("v", WireBytes.body { $0.signature("ss") }),
    ("as", WireBytes.body { $0.uint32(1 << 30) }),
    ("au", WireBytes.body { $0.array(alignment: 4) { $0.byte(1) } }),
    ("a(", WireBytes.body { $0.uint32(0) }),
    ("y", [1, 2]),
    ("", [0]),
    ("u", [0, 0]),
  ])
  func throwsMalformedForABodyOfAnotherType(_ signature: String, _ body: [UInt8]) {
    #expect(fault(body, signature) == .malformed)
  }
}
