// SPDX-License-Identifier: Apache-2.0
import SecretMemory
import Testing

struct SecretBytesSpanTests {
  @Test func spanContainsItsBytes() {
    let bytes = SecretBytes("span".utf8).withSpan { span in span.indices.map { span[$0] } }
    #expect(bytes == Array("span".utf8))
  }

  @Test func anEmptySecretHasAnEmptySpan() {
    #expect(SecretBytes([]).withSpan { $0.isEmpty })
  }

  @Test(arguments: [0..<0, 0..<6, 2..<4, 5..<6, 6..<6])
  func copiesAPart(_ range: Range<Int>) {
    let whole = SecretBytes("abcdef".utf8)
    let part = whole.withSpan { SecretBytes(copying: $0, range) }
    #expect(part.isEqual(to: SecretBytes(Array("abcdef".utf8)[range])))
  }

  @Test func rethrowsTheErrorOfTheBody() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try SecretBytes([1]).withSpan { _ in throw Refusal() }
    }
  }
}
