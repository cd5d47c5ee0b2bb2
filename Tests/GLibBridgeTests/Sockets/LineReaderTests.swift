// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TestSupport
import Testing

/// Lines of a peer that may be hostile.
@GLibActor
struct LineReaderTests {
  @Test(arguments: [[], ["a"], ["", "", ""], ["one", "two", ""], ["ä", String(repeating: "x", count: 100_000)]])
  func linesAreSplit(_ lines: [String]) async throws {
    let (near, far) = try Self.pair()
    far.send { for line in lines { $0 += Array(line.utf8) + [UInt8(ascii: "\n")] } }
    far.finish()
    let reader = LineReader(near, limit: 1 << 20)
    var read: [String] = []
    while let line = try await reader.next() { read.append(String(decoding: line, as: UTF8.self)) }
    #expect(read == lines)
  }

  @Test(arguments: 1...7)
  func chunksDoNotMatter(_ size: Int) {
    let text = Array("one\n\ntwo three\nfour\n".utf8)
    var splitter = LineSplitter()
    var lines: [[UInt8]] = []
    for start in stride(from: 0, to: text.count, by: size) {
      splitter.append(Array(text[start..<min(start + size, text.count)]))
      while let line = splitter.next() { lines.append(line) }
    }
    #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["one", "", "two three", "four"])
    #expect(splitter.pendingBytes == 0)
  }

  @Test func aLongLineIsRefused() async throws {
    let (near, far) = try Self.pair()
    far.send { $0 += [UInt8](repeating: 0, count: 1 << 20) }
    var held = 0
    let reader = LineReader(near, limit: 100_000) { held = $0 }
    await #expect(throws: LineReader.Failure.tooLong(limit: 100_000)) { try await reader.next() }
    #expect((100_001...120_000).contains(held))
    let (next, other) = try Self.pair()
    other.send { $0 += Array("12345\n".utf8) }
    await #expect(throws: LineReader.Failure.tooLong(limit: 4)) { try await LineReader(next, limit: 4).next() }
  }

  @Test func halfALineIsNotWaitedForLong() async throws {
    let (near, far) = try Self.pair()
    let reader = LineReader(near, limit: 100, patience: .milliseconds(10))
    far.send { $0 += "whole\nhal".utf8 }
    #expect(try await reader.next() == Array("whole".utf8))
    await #expect(throws: LineReader.Failure.unfinished(.milliseconds(10))) { try await reader.next() }
    let (next, other) = try Self.pair()
    other.send { $0 += "hal".utf8 }
    other.finish()
    await #expect(throws: LineReader.Failure.cutOff) { try await LineReader(next, limit: 100).next() }
  }

  @Test func aRefusalOfTheHolderEndsTheReading() async throws {
    struct NoRoom: Error {}
    let (near, far) = try Self.pair()
    far.send { $0 += "hal".utf8 }
    let reader = LineReader(near, limit: 100) { _ in throw NoRoom() }
    await #expect(throws: NoRoom.self) { try await reader.next() }
  }

  private static func pair() throws -> (StreamSocket, StreamSocket) {
    let (own, other) = try StreamSocket.pair()
    return (own, try StreamSocket(other))
  }
}
