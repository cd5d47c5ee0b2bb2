// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Splits a stream of bytes into lines.
package struct LineSplitter: Sendable {
  private var buffer: [UInt8] = []
  /// The offset of the next line.
  private var start = 0
  /// The offset up to which the next line has been searched for its end.
  private var searched = 0

  package init() {}

  /// The number of bytes after the last line that was returned.
  package var pendingBytes: Int { buffer.count - start }

  package mutating func append(_ bytes: [UInt8]) {
    if start == buffer.count {
      buffer = bytes
    } else {
      buffer.removeFirst(start)
      buffer += bytes
    }
    searched = max(0, searched - start)
    start = 0
  }

  /// Removes the next complete line and returns it without its end; nil if the end has not come yet.
  package mutating func next() -> [UInt8]? {
    guard let end = end(from: max(start, searched)) else {
      searched = buffer.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
      if start == buffer.count { (buffer, start, searched) = ([], 0, 0) }
      // No long line stays for the first bytes of the next.
      if start > 64 << 10 { (buffer, start, searched) = (Array(buffer[start...]), 0, 0) }
    }
    return Array(buffer[start..<end])
  }

  /// The offset of the next end of a line. Without optimization, a search byte by byte takes a second for a long line.
  private func end(from offset: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, offset < bytes.count else { return nil }
      return memchr(start + offset, Int32(UInt8(ascii: "\n")), bytes.count - offset).map { start.distance(to: $0) }
    }
  }
}

/// Reads lines from a socket whose peer may be hostile.
@GLibActor
package final class LineReader {
  package enum Failure: Error, Equatable {
    /// A line has more bytes than this.
    case tooLong(limit: Int)
    /// A line has begun and did not end within this time.
    case unfinished(Duration)
    /// The stream ended within a line.
    case cutOff
  }

  private let socket: StreamSocket
  private let limit: Int
  private let patience: Duration
  private let hold: @GLibActor (Int) throws -> Void
  private var splitter = LineSplitter()
  private var lineDue: ContinuousClock.Instant?

  /// - Parameters:
  ///   - limit: the most bytes of a line.
  ///   - patience: the longest time from the first byte of a line to its end.
  ///   - hold: receives the number of bytes that the reader keeps, when it changes. An error ends the reading.
  package init(
    _ socket: StreamSocket, limit: Int, patience: Duration = .seconds(30),
    hold: @escaping @GLibActor (Int) throws -> Void = { _ in }
  ) {
    self.socket = socket
    self.limit = limit
    self.patience = patience
    self.hold = hold
  }

  /// Waits for the next line, without a deadline for its first byte.
  ///
  /// - Returns: the line without its end; nil at the end of the stream.
  /// - Throws: ``Failure``, the errors of `hold`, `CancellationError`.
  package func next() async throws -> [UInt8]? {
    // Without the line before, which the caller is done with.
    try hold(splitter.pendingBytes)
    while true {
      if let line = splitter.next() {
        lineDue = nil
        guard line.count <= limit else { throw Failure.tooLong(limit: limit) }
        return line
      }
      guard splitter.pendingBytes <= limit else { throw Failure.tooLong(limit: limit) }
      let chunk = try await receive()
      guard !chunk.isEmpty else {
        guard splitter.pendingBytes == 0 else { throw Failure.cutOff }
        return nil
      }
      splitter.append(chunk)
      try hold(splitter.pendingBytes)
    }
  }

  private func receive() async throws -> [UInt8] {
    guard splitter.pendingBytes > 0 else {
      lineDue = nil
      return try await socket.receive()
    }
    let due = lineDue ?? .now + patience
    lineDue = due
    do {
      return try await withDeadline(due - .now) { [socket] in try await socket.receive() }
    } catch let error as GLibError where error.isTimeout {
      throw Failure.unfinished(patience)
    }
  }
}
