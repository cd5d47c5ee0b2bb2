import Testing

@testable import GLibBridge

struct FrameMeterTests {
  private static func frame(_ first: UInt8, _ length: Int) -> [UInt8] {
    let content = [UInt8](repeating: 0x78, count: length)
    return switch length {
    case ..<126: [first, UInt8(length)] + content
    case ..<65536: [first, 126, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    default: [first, 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) } + content
    }
  }

  /// The problem that `bytes` cause when they arrive in pieces of `size`.
  private func problem(_ bytes: [UInt8], limit: UInt64 = 1000, size: Int = 7, at seconds: Int64 = 0) -> FrameMeter
    .Problem?
  {
    var meter = FrameMeter(messageLimit: limit)
    return problem(bytes, &meter, size: size, at: seconds)
  }

  private func problem(
    _ bytes: [UInt8], _ meter: inout FrameMeter, size: Int = 1024, at seconds: Int64
  ) -> FrameMeter.Problem? {
    do throws(FrameMeter.Problem) {
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(start + size, bytes.count)])
        try meter.pass(piece.span, at: seconds)
      }
      return nil
    } catch {
      return error
    }
  }

  private static func frames(_ count: Int, _ first: UInt8, _ length: Int) -> [UInt8] {
    [[UInt8]](repeating: frame(first, length), count: count).flatMap { $0 }
  }

  // MARK: Floods

  @Test(arguments: [(0x89, 0), (0x89, 125), (0x8A, 3), (0x81, 0), (0x01, 0), (0x00, 0)] as [(UInt8, Int)])
  func throwsFloodForManyControlOrEmptyFrames(_ first: UInt8, _ length: Int) {
    for size in [1, 7, 1024] {
      #expect(problem(Self.frames(FrameMeter.burst, first, length), size: size) == nil)
      #expect(problem(Self.frames(FrameMeter.burst + 1, first, length), size: size) == .flood)
    }
  }

  @Test(arguments: [(0x81, 1), (0x81, 125), (0x81, 300), (0x01, 1)] as [(UInt8, Int)])
  func acceptsAnyNumberOfFramesWithContent(_ first: UInt8, _ length: Int) {
    for size in [1, 7, 1024] { #expect(problem(Self.frames(2000, first, length), size: size) == nil) }
  }

  /// A rate that a normal server may reach.
  @Test func acceptsAFewControlFramesEachSecond() {
    var meter = FrameMeter(messageLimit: 1000)
    for second in 0..<1000 {
      #expect(problem(Self.frames(FrameMeter.rate, 0x89, 4), &meter, at: Int64(second)) == nil)
    }
    #expect(problem(Self.frames(FrameMeter.burst + 1, 0x89, 4), &meter, at: 1000) == .flood)
  }

  // MARK: Length

  @Test func limitsTheTotalLengthOfFragments() {
    #expect(problem(Self.frame(0x81, 1000)) == nil)
    #expect(problem(Self.frame(0x81, 1001)) == .messageTooLong)
    let parts = Self.frame(0x01, 500) + Self.frame(0x89, 4) + Self.frame(0x00, 500)
    #expect(problem(parts) == nil)
    #expect(problem(parts + Self.frame(0x80, 1)) == .messageTooLong)
    // The limit applies to each message separately.
    #expect(problem(Self.frames(5, 0x81, 900)) == nil)
    #expect(problem(Self.frame(0x81, 70_000), limit: 70_000, size: 1024) == nil)
    #expect(problem([0x81, 127] + [UInt8](repeating: 0xFF, count: 8)) == .messageTooLong)
    #expect(problem([0x01, 2, 0x78, 0x78, 0x00, 127] + [UInt8](repeating: 0xFF, count: 8)) == .messageTooLong)
  }
}
