import CGLib
import Testing

@testable import GLibBridge

struct MessageBacklogTests {
  private func append(_ bytes: [UInt8], to backlog: inout MessageBacklog) throws {
    let message = try #require(g_bytes_new(bytes, gsize(bytes.count)))
    backlog.append(message)
    g_bytes_unref(message)
  }

  private func pop(_ backlog: inout MessageBacklog) -> [UInt8]? {
    guard let message = backlog.popFirst() else { return nil }
    defer { g_bytes_unref(message) }
    var count: gsize = 0
    let start = g_bytes_get_data(message, &count)?.assumingMemoryBound(to: UInt8.self)
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  @Test func returnsMessagesInOrder() throws {
    var backlog = MessageBacklog()
    var expected: [[UInt8]] = []
    var taken: [[UInt8]] = []
    for round in 0..<30 {
      for number in 0..<(round * 100) {
        let message = [UInt8(round), UInt8(truncatingIfNeeded: number)]
        expected.append(message)
        try append(message, to: &backlog)
      }
      // Some rounds empty the queue and some do not.
      for _ in 0..<(round % 3 == 0 ? 10_000 : 300) { if let message = pop(&backlog) { taken.append(message) } }
    }
    while let message = pop(&backlog) { taken.append(message) }
    #expect(taken == expected)
    let isEmpty = backlog.isEmpty
    #expect(isEmpty)
  }

  @Test func isFullAboveItsLimitInBytes() throws {
    var backlog = MessageBacklog()
    for _ in 0..<32 { try append([UInt8](repeating: 0, count: 1 << 20), to: &backlog) }
    var isFull = backlog.isFull
    #expect(!isFull)
    try append([1], to: &backlog)
    isFull = backlog.isFull
    #expect(isFull)
    _ = pop(&backlog)
    isFull = backlog.isFull
    #expect(!isFull)
  }
}
