// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

struct FrameParserTests {
  private static func frame(_ first: UInt8, _ length: Int) -> [UInt8] {
    let content = [UInt8](repeating: 0x78, count: length)
    return switch length {
    case ..<126: [first, UInt8(length)] + content
    case ..<65536: [first, 126, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    default: [first, 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) } + content
    }
  }

  /// The problem that `bytes` cause when they arrive in pieces of `size`.
  private func problem(_ bytes: [UInt8], limit: Int = 1000, size: Int = 7) -> FrameParser.Problem? {
    var parser = FrameParser(messageLimit: limit)
    return read(bytes, by: &parser, size: size).problem
  }

  private func read(
    _ bytes: [UInt8], by parser: inout FrameParser, size: Int = 1024, at seconds: Int64 = 0
  ) -> (messages: [[UInt8]], problem: FrameParser.Problem?) {
    var messages: [[UInt8]] = []
    var waiting: [UInt8] = []
    do throws(FrameParser.Problem) {
      for start in stride(from: 0, to: bytes.count, by: size) {
        waiting += bytes[start..<min(start + size, bytes.count)]
        while !waiting.isEmpty {
          let count = try parser.next(in: waiting.span, at: { seconds }) {
            if $0 == .text { messages.append(Array(copying: $1)) }
          }
          guard count > 0 else { break }
          waiting.removeFirst(count)
        }
        #expect(waiting.count <= FrameParser.waitingLimit)
      }
      return (messages, nil)
    } catch {
      return (messages, error)
    }
  }

  private static func frames(_ count: Int, _ first: UInt8, _ length: Int) -> [UInt8] {
    [[UInt8]](repeating: frame(first, length), count: count).flatMap { $0 }
  }

  // MARK: Floods

  @Test(arguments: [(0x89, 0), (0x89, 125), (0x8A, 3), (0x81, 0)] as [(UInt8, Int)])
  func throwsFloodForManyControlOrEmptyFrames(_ first: UInt8, _ length: Int) {
    for size in [1, 7, 1024] {
      #expect(problem(Self.frames(FrameParser.burst, first, length), size: size) == nil)
      #expect(problem(Self.frames(FrameParser.burst + 1, first, length), size: size) == .flood)
    }
  }

  @Test func throwsFloodForManyEmptyFragments() {
    let beginning = Self.frame(0x01, 1)
    #expect(problem(beginning + Self.frames(FrameParser.burst, 0x00, 0)) == nil)
    #expect(problem(beginning + Self.frames(FrameParser.burst + 1, 0x00, 0)) == .flood)
  }

  @Test(arguments: [(0x81, 1), (0x81, 125), (0x81, 300)] as [(UInt8, Int)])
  func acceptsAnyNumberOfFramesWithContent(_ first: UInt8, _ length: Int) {
    for size in [1, 7, 1024] { #expect(problem(Self.frames(2000, first, length), size: size) == nil) }
  }

  /// A rate that a normal server may reach.
  @Test func acceptsAFewControlFramesEachSecond() {
    var meter = FrameParser(messageLimit: 1000)
    for second in 0..<1000 {
      #expect(read(Self.frames(FrameParser.rate, 0x89, 4), by: &meter, at: Int64(second)).problem == nil)
    }
    #expect(read(Self.frames(FrameParser.burst + 1, 0x89, 4), by: &meter, at: 1000).problem == .flood)
  }

  // MARK: Messages

  @Test(arguments: [1, 2, 7, 1024, 1 << 20])
  func joinsFragmentsInPiecesOfAnySize(_ size: Int) {
    let lengths = [1, 125, 126, 65_535, 65_536, 100_000]
    var bytes: [UInt8] = []
    for length in lengths {
      bytes += Self.frame(0x81, length)
      bytes += Self.frame(0x01, length) + Self.frame(0x89, 125) + Self.frame(0x00, 3) + Self.frame(0x80, 2)
    }
    var parser = FrameParser(messageLimit: 1 << 20)
    let (messages, problem) = read(bytes, by: &parser, size: size)
    #expect(problem == nil)
    #expect(messages.map(\.count) == lengths.flatMap { [$0, $0 + 5] })
    #expect(messages.allSatisfy { $0.allSatisfy { $0 == 0x78 } })
  }

  @Test(
    arguments: [
      // Reserved bits, a mask, an unknown opcode, a long or fragmented ping, a message within another, and a
      // continuation of none.
      [0xC1, 0], [0x81, 0x80, 0, 0, 0, 0], [0x83, 0], [0x89, 126, 0, 126], [0x09, 0],
      [0x01, 1, 0x78, 0x81, 0], [0x80, 0],
    ] as [[UInt8]])
  func throwsMalformed(_ bytes: [UInt8]) {
    #expect(problem(bytes) == .malformed)
  }

  @Test(arguments: [0, 5, 126, 70_000])
  func masksTheFramesOfAClient(_ length: Int) throws {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    let frame = FrameHead.clientFrame(.text, payload.span)
    let head = Self.frame(0x81, length).dropLast(length)
    #expect(frame[0] == 0x81)
    #expect(frame[1] == head[1] | 0x80)
    #expect(Array(frame[2..<head.count]) == Array(head.dropFirst(2)))
    let mask = frame[head.count..<head.count + 4]
    let masked = frame.dropFirst(head.count + 4)
    #expect(masked.enumerated().map { $1 ^ mask[mask.startIndex + $0 % 4] } == payload)
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
