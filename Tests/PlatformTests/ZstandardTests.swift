// SPDX-License-Identifier: Apache-2.0
import Platform
import Testing

@Suite struct ZstandardTests {
  @Test(arguments: [0, 1, 1000, 1 << 20, 5_000_000]) func decodesWhatItEncoded(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    let frame = Zstandard.encode(bytes)
    #expect(try Zstandard.decode(frame, limit: count) == bytes)
    #expect(try Zstandard.decode(frame + frame, limit: 2 * count) == bytes + bytes, "several frames")
  }

  @Test func throwsTooLongForADecompressionBomb() throws {
    let bomb = Zstandard.encode([UInt8](repeating: 0, count: 50_000_000))
    #expect(bomb.count < 10_000)
    #expect(throws: Zstandard.DecodingError.tooLong) { try Zstandard.decode(bomb, limit: 1 << 20) }
  }

  @Test func throwsMalformedForOtherBytes() throws {
    let frame = Zstandard.encode(Array("some text that is worth a frame".utf8))
    for bytes in [Array("{}".utf8), Array(frame.dropLast()), Array(frame.prefix(3)), [], frame + [1, 2, 3, 4, 5]] {
      #expect(throws: Zstandard.DecodingError.malformed) { try Zstandard.decode(bytes, limit: 1000) }
    }
  }
}
