// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform

/// The buffered input from the bus.
struct RelayInput {
  private static let readSize = 64 << 10

  private let bus: Descriptor
  /// The socket to GDBus. Reading stops when its other end is closed.
  private let inside: Descriptor
  private var bytes: [UInt8] = []
  /// The offset of the next message.
  private var start = 0
  private var scratch = [UInt8](repeating: 0, count: readSize)
  /// Whether the next message has been skipped.
  private var isSkipped = false

  init(_ bus: Descriptor, closedWith inside: Descriptor) {
    self.bus = bus
    self.inside = inside
  }

  /// Reads until at least `count` bytes of the next message are buffered, and returns the buffer from the start of that
  /// message. Nil at the end of the stream.
  mutating func fill(_ count: Int) -> ArraySlice<UInt8>? {
    if bytes.count - start < count, count > Self.readSize {
      bytes.removeFirst(start)
      start = 0
      // Reserves exactly this size: growing on demand would double the memory of a large message.
      bytes.reserveCapacity(count + Self.readSize)
    }
    while bytes.count - start < count { guard read() else { return nil } }
    return bytes[start...]
  }

  /// Skips the next message, of `count` bytes, without storing it. False at the end of the stream.
  mutating func skip(_ count: Int) -> Bool {
    isSkipped = true
    var rest = count - (bytes.count - start)
    bytes.removeFirst(start + min(count, bytes.count - start))
    start = 0
    while rest > 0 {
      guard read() else { return false }
      let passed = min(rest, bytes.count)
      bytes.removeFirst(passed)
      rest -= passed
    }
    return true
  }

  /// Removes the message with this head from the buffer.
  mutating func drop(_ head: MessageHead) {
    if isSkipped { isSkipped = false } else { start += head.length }
    guard start == bytes.count else { return }
    bytes = []
    start = 0
  }

  enum Arrival {
    /// A part of the next message has arrived.
    case message
    /// The event was signalled this many times.
    case event(Int)
    case end
  }

  /// Waits for `event`, or for a message when `wantsMessage` is true. `event` has priority.
  mutating func wait(for event: Descriptor?, orMessage wantsMessage: Bool) -> Arrival {
    let isHere = wantsMessage && start < bytes.count
    let sources = [event, wantsMessage && !isHere ? bus : nil].compactMap(\.self)
    if isHere, sources.isEmpty { return .message }
    switch poll(sources, waits: !isHere) {
    case .ready(let number) where number == event?.number:
      var count: eventfd_t = 0
      return eventfd_read(number, &count) == 0 ? .event(Int(clamping: count)) : .end
    case .ready, .nothing: return .message
    case .end: return .end
    }
  }

  private mutating func read() -> Bool {
    while true {
      let count = Glibc.read(bus.number, &scratch, scratch.count)
      if count > 0 {
        if start > 0 {
          bytes.removeFirst(start)
          start = 0
        }
        bytes += scratch[..<count]
        return true
      }
      switch (count, errno) {
      case (0, _): return false
      case (_, EINTR): continue
      case (_, EAGAIN): guard case .ready = poll([bus]) else { return false }
      default: return false
      }
    }
  }

  private enum Poll {
    /// The first readable descriptor.
    case ready(Int32)
    case nothing
    /// The socket to GDBus is closed.
    case end
  }

  private func poll(_ descriptors: [Descriptor], waits: Bool = true) -> Poll {
    var waiting = descriptors.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
    waiting.append(pollfd(fd: inside.number, events: 0, revents: 0))
    while true {
      let count = Glibc.poll(&waiting, nfds_t(waiting.count), waits ? -1 : 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 0, waiting.removeLast().revents == 0 else { return .end }
      return waiting.first { $0.revents != 0 }.map { .ready($0.fd) } ?? .nothing
    }
  }
}

extension Descriptor {
  /// Sends all of `bytes` over a socket, and blocks while it accepts none. False when the peer has closed it.
  func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      guard errno == EINTR || errno == EAGAIN else { return false }
      var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      Glibc.poll(&waiting, 1, -1)
    }
    return true
  }
}
