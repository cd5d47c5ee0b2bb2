// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Writes frames to a stream, one write after another, and closes it.
@GLibActor
final class FrameWriter {
  /// The interval between pings. Routers drop idle connections.
  private static let pingInterval = Duration.seconds(30)

  private enum State {
    case idle
    case writing
    /// The write is the last one, and the stream is closed after it.
    case finishing
    case closed
  }

  private let stream: UnsafeMutablePointer<GIOStream>
  private let cancellable = g_cancellable_new()
  /// Frames that wait for the end of the current write.
  private var queue: [UInt8] = []
  private var state = State.idle
  private var ping: Timer?

  init(_ stream: UnsafeMutablePointer<GIOStream>) {
    self.stream = stream
    g_object_ref(stream)
    sendPings()
  }

  isolated deinit {
    g_object_unref(stream)
    g_object_unref(cancellable)
  }

  func send(_ opcode: FrameHead.Opcode, _ payload: borrowing Span<UInt8>) {
    queue += FrameHead.clientFrame(opcode, payload)
    if case .idle = state { writeNext() }
  }

  /// Closes the stream after the frames that are queued.
  func finish() {
    ping = nil
    switch state {
    case .idle: closeStream()
    case .writing: state = .finishing
    case .finishing, .closed: break
    }
  }

  /// Drops the frames that are queued, and closes the stream.
  func cancel() {
    queue = []
    g_cancellable_cancel(cancellable)
    finish()
  }

  private func closeStream() {
    state = .closed
    g_io_stream_close_async(stream, G_PRIORITY_DEFAULT, nil, nil, nil)
  }

  private func sendPings() {
    ping = Timer(after: Self.pingInterval) { [weak self] in
      self?.send(.ping, Span())
      self?.sendPings()
    }
  }

  private func writeNext() {
    let bytes = queue
    queue = []
    if case .idle = state { state = .writing }
    Task.onGLib {
      let isWhole = (try? await write(bytes)) != nil
      // The reader sees the end of a broken connection.
      if !isWhole { queue = [] }
      if !queue.isEmpty { return writeNext() }
      if case .finishing = state { closeStream() } else { state = .idle }
    }
  }

  private func write(_ bytes: [UInt8]) async throws {
    // They stay in place until the write has ended.
    let data = g_bytes_new(bytes, gsize(bytes.count))
    var count: gsize = 0
    let start = g_bytes_get_data(data, &count)
    let output = g_io_stream_get_output_stream(stream)
    try await asyncCall { [cancellable] _, callback, task in
      g_output_stream_write_all_async(
        output, UnsafeMutableRawPointer(mutating: start), count, G_PRIORITY_DEFAULT, cancellable, callback, task)
    } finish: { result, error in
      defer { g_bytes_unref(data) }
      return g_output_stream_write_all_finish(output, result, nil, &error)
    }
  }
}
