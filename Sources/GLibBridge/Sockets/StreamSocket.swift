// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform

/// One end of a stream socket, for a peer that may be slow or hostile. No call blocks the actor.
///
/// Releasing it closes the socket at once; ``finish()`` sends what is queued first.
@GLibActor
package final class StreamSocket {
  private enum State {
    case open(Descriptor)
    /// Closes after the queued bytes have been sent. Until then the socket keeps itself alive.
    case finishing(Descriptor, StreamSocket)
    /// The peer has closed its end, and what it sent before can still be read.
    case hungUp(Descriptor)
    case closed
  }

  /// The most bytes that one call of ``receive()`` returns.
  private static let chunkSize = 16 << 10
  private var state: State
  private var queue: [UInt8] = []
  /// The number of bytes of ``queue`` that have been sent.
  private var sent = 0
  /// Nil when nothing more can come.
  private var watch: DescriptorWatch?
  private var arrival: Wait?
  private let patience: Duration
  /// Runs while something waits for the peer.
  private var stall: InactivityTimer?
  /// The bytes in the kernel's buffer when it was last full, or when the timer last fired.
  private var unreadBefore: Int32 = 0
  /// Called when the peer has taken nothing of what waits for it for five minutes.
  package var onStall: @GLibActor () -> Void = {}
  /// Called when all queued bytes have been sent.
  package var onDrained: @GLibActor () -> Void = {}
  /// Called once, when the peer has closed its end, in both directions.
  package var onHangUp: @GLibActor () -> Void = {}

  /// Takes over a connected socket.
  ///
  /// - Parameter patience: the longest time in which the peer takes nothing of what waits for it.
  /// - Throws: ``GLibError`` when the kernel has no room to watch it.
  package init(_ descriptor: Descriptor, patience: Duration = .seconds(300)) throws {
    state = .open(descriptor)
    self.patience = patience
    _ = fcntl(descriptor.number, F_SETFL, fcntl(descriptor.number, F_GETFL) | O_NONBLOCK)
    watch = try DescriptorWatch(descriptor) { [weak self] in self?.becameReady($0) }
  }

  /// Makes a pair of connected sockets.
  ///
  /// - Returns: this process's end, and the end to pass to another process.
  /// - Throws: ``GLibError`` when no descriptor is left.
  package static func pair(patience: Duration = .seconds(300)) throws -> (StreamSocket, Descriptor) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0,
      let own = Descriptor(owning: ends[0]), let other = Descriptor(owning: ends[1])
    else { throw GLibError(errno: errno) }
    return (try StreamSocket(own, patience: patience), other)
  }

  isolated deinit {
    close()
  }

  package var isOpen: Bool {
    if case .open = state { true } else { false }
  }

  /// Whether the socket is open and the peer has not closed its end, also if the main loop has not reported that yet.
  package var isConnected: Bool {
    guard isOpen, let descriptor else { return false }
    return !Self.isHungUp(descriptor)
  }

  private var descriptor: Descriptor? {
    switch state {
    case .open(let descriptor), .finishing(let descriptor, _), .hungUp(let descriptor): descriptor
    case .closed: nil
    }
  }

  private func becameReady(_ condition: DescriptorWatch.Condition) {
    if condition.contains(.output) {
      watch?.awaited.remove(.output)
      flush()
    }
    if condition.contains(.input) {
      watch?.awaited.remove(.input)
      arrival?.finish()
    }
    if !condition.isDisjoint(with: .end) { peerHungUp() }
  }

  // MARK: Sending

  /// The number of bytes that the peer has not taken yet.
  package var queuedBytes: Int { queue.count - sent }

  /// Sends the bytes that `append` adds to the queue. What the socket does not take now is sent when the peer has read.
  /// Does nothing after ``finish()`` or ``close()``.
  package func send(_ append: (inout [UInt8]) -> Void) {
    guard isOpen else { return }
    append(&queue)
    if watch?.awaited.contains(.output) != true { flush() }
  }

  private func flush() {
    guard let descriptor, !hasHungUp else { return }
    while queuedBytes > 0 {
      let count = queue.withUnsafeBytes {
        Glibc.send(descriptor.number, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
        stall?.touch()
      } else if errno == EAGAIN {
        watch?.awaited.insert(.output)
        unreadBefore = unreadBytes
        return watchPeer()
      } else if errno != EINTR {
        return peerHungUp()
      }
    }
    queue.removeAll(keepingCapacity: queue.capacity <= Self.chunkSize)
    sent = 0
    endStall()
    if case .finishing = state { close() } else { onDrained() }
  }

  private func watchPeer() {
    guard stall == nil else { return }
    stall = InactivityTimer(patience) { [weak self] in
      guard let self else { return }
      stall = nil
      // The kernel reports room only when most of its buffer is free.
      let unread = unreadBytes
      guard unread >= unreadBefore else {
        unreadBefore = unread
        return watchPeer()
      }
      onStall()
      if case .finishing = state { close() }
    }
  }

  /// The bytes in the kernel's buffer that the peer has not read.
  private var unreadBytes: Int32 {
    var count: Int32 = 0
    if let descriptor { _ = ioctl(descriptor.number, UInt(TIOCOUTQ), &count) }
    return count
  }

  private func endStall() {
    stall?.cancel()
    stall = nil
  }

  /// Sends what is queued, then closes the socket. A peer that reads nothing for five minutes loses the rest.
  package func finish() {
    switch state {
    case .open(let descriptor):
      state = .finishing(descriptor, self)
      if queuedBytes == 0 { close() } else { watchPeer() }
    case .hungUp: close()
    case .finishing, .closed: break
    }
  }

  // MARK: Receiving

  /// Waits for bytes. Only one task may wait.
  ///
  /// - Returns: at most 16 KiB; nothing at the end of the stream.
  /// - Throws: `CancellationError`.
  package func receive() async throws -> [UInt8] {
    while true {
      try Task.checkCancellation()
      guard let descriptor else { return [] }
      let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
        count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
        // The caller sees an error as an empty chunk and the number of it in errno.
        if count == 0 { errno = 0 }
        count = max(0, count)
      }
      guard chunk.isEmpty else { return chunk }
      switch errno {
      case EAGAIN, EINTR: await waitForInput()
      default:
        // The end of the stream may be a hang-up that the main loop has not reported yet.
        if Self.isHungUp(descriptor) { peerHungUp() }
        return []
      }
    }
  }

  private func waitForInput() async {
    // A task of Swift's thread pool may be suspended before this call, and the end may come meanwhile.
    guard let watch else { return }
    let wait = Wait()
    arrival = wait
    watch.awaited.insert(.input)
    await wait.valueOrCancelled()
    self.watch?.awaited.remove(.input)
    arrival = nil
  }

  // MARK: The end

  /// What has come can still be read, and then the stream ends, also while another process keeps the other end.
  package func endInput() {
    guard let descriptor else { return }
    shutdown(descriptor.number, Int32(SHUT_RD))
    arrival?.finish()
  }

  private var hasHungUp: Bool {
    if case .hungUp = state { true } else { false }
  }

  private static func isHungUp(_ descriptor: Descriptor) -> Bool {
    var state = pollfd(fd: descriptor.number, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0
  }

  private func peerHungUp() {
    switch state {
    case .open(let descriptor):
      state = .hungUp(descriptor)
      watch = nil
      arrival?.finish()
      dropOutput()
      onHangUp()
    case .finishing: close()
    case .hungUp, .closed: break
    }
  }

  private func dropOutput() {
    queue = []
    sent = 0
    endStall()
    onDrained()
  }

  /// Closes the socket at once, in both directions. A task that waits for bytes receives the end of the stream.
  package func close() {
    guard let descriptor else { return }
    state = .closed
    watch = nil
    shutdown(descriptor.number, Int32(SHUT_RDWR))
    Self.discardInput(of: descriptor)
    arrival?.finish()
    dropOutput()
  }

  /// The kernel would report a reset connection to the peer, instead of the end of the stream, if input were left.
  private static func discardInput(of descriptor: Descriptor) {
    var scratch = [UInt8](repeating: 0, count: 4 << 10)
    // The peer of a TCP socket can still send, so there is a bound.
    for _ in 0..<256 {
      guard recv(descriptor.number, &scratch, scratch.count, 0) > 0 else { return }
    }
  }
}
