// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup

/// The client's end of an open WebSocket, for text messages. A binary message closes it.
///
/// libsoup makes the handshake. Its own reading would cost a new event source, five system calls and a GObject signal
/// for each message, and it would read while the reader pauses.
///
/// Releasing it closes the connection; ``close()`` sends a close frame first.
@GLibActor
public final class WebSocket {
  /// The maximum length of a received message, in bytes.
  static let messageLimit = 6 << 20
  /// The most bytes that one read takes: a record of TLS. A rest of one would not make the stream readable.
  private static let readSize = 16 << 10
  /// Bytes of one read that show a burst, in which a further read is worthwhile before the main loop goes on.
  private static let burstSize = 2 << 10
  /// The longest wait for the peer's close frame.
  private static let closingTime = Duration.seconds(5)

  /// A consumer of one message. The message is valid only during the call.
  public typealias Take = @GLibActor (borrowing Span<UInt8>) -> FlowControl
  /// Returns whether a message is allowed while there is no reader.
  public typealias Expectation = @GLibActor (borrowing Span<UInt8>) -> Bool

  private enum State {
    case open
    /// Waits for the peer's close frame, and keeps the socket alive until then.
    case closing(WebSocket, Timer)
    case ended(GLibError)
  }

  /// A class, because copying a struct for each message would retain three references.
  @GLibActor
  private final class Reader {
    let continuation: CheckedContinuation<Void, any Error>
    let take: Take
    let watch: InactivityTimer

    init(_ continuation: CheckedContinuation<Void, any Error>, _ watch: InactivityTimer, _ take: @escaping Take) {
      self.continuation = continuation
      self.watch = watch
      self.take = take
    }
  }

  private enum Reading {
    case nobody
    case resting(Expectation)
    case reading(Reader)
    case paused(Reader)
  }

  /// The connection that libsoup opened. It owns the stream and is not used any more.
  private let opened: OpaquePointer
  private let stream: UnsafeMutablePointer<GIOStream>
  private let input: OpaquePointer
  /// The descriptor of its socket; -1 if only the stream itself knows when it has data.
  private let socket: Int32
  private let writer: FrameWriter
  private var parser = FrameParser(messageLimit: messageLimit)
  /// Bytes that were read and not processed: those from `taken` to `filled`.
  private let chunk = UnsafeMutablePointer<UInt8>.allocate(capacity: FrameParser.waitingLimit + readSize)
  private var taken = 0
  private var filled = 0
  private var isBurst = false
  /// Whether ``parser`` is in use. A consumer may close the socket.
  private var isProcessing = false
  /// Whether a slice of time has passed and processing continues in the next iteration.
  private var hasYielded = false
  /// Ready when bytes arrive; nil while nobody reads.
  private var arrival: SourceWatch?
  private var state = State.open
  private var reading = Reading.nobody

  /// Takes over a client's connection as libsoup opened it.
  init(over opened: OpaquePointer) {
    guard let stream = soup_websocket_connection_get_io_stream(opened) else {
      preconditionFailure("libsoup opened a WebSocket without a stream")
    }
    // libsoup must not read any more.
    let context = GLibActor.shared.executor.context
    while let source = g_main_context_find_source_by_user_data(context, UnsafeMutableRawPointer(opened)) {
      g_source_destroy(source)
    }
    self.opened = opened
    self.stream = stream
    input = OpaquePointer(UnsafeMutableRawPointer(g_io_stream_get_input_stream(stream)))
    socket = chappie_socket_below(stream)
    writer = FrameWriter(stream)
  }

  isolated deinit {
    writer.cancel()
    chunk.deallocate()
    g_object_unref(UnsafeMutableRawPointer(opened))
  }

  /// Whether messages can be sent.
  public var isOpen: Bool {
    if case .open = state { true } else { false }
  }

  /// Sends one message; `text` must be UTF-8. On a closed socket this does nothing, and the reader receives an error.
  public func send(_ text: [UInt8]) {
    guard isOpen else { return }
    // Later messages are responses, so they wait for the next reader.
    if case .resting = reading { read(for: .nobody) }
    writer.send(.text, text.span)
  }

  /// Sends a close frame and closes the connection after the peer's close frame.
  public func close() {
    guard isOpen else { return }
    sendClose(SOUP_WEBSOCKET_CLOSE_NORMAL)
    state = .closing(self, Timer(after: Self.closingTime) { self.end(GLibError(webSocket: "the peer did not close")) })
    if case .paused = reading { return }
    watchInput()
    readable()
  }

  private func sendClose(_ code: SoupWebsocketCloseCode) {
    writer.send(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)].span)
  }

  // MARK: Reading

  /// Calls `take` with each message until it returns ``FlowControl/stop``. Only one task may read at a time.
  ///
  /// - Parameter idleDeadline: the longest time without a message; after it the call fails with ``GLibError/timedOut``.
  /// - Throws: ``GLibError`` when the connection ends, `CancellationError`.
  public func forEachMessage(idleDeadline: Duration, _ take: @escaping Take) async throws {
    try Task.checkCancellation()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // The timer ends with this call, which keeps `self` alive.
        let watch = InactivityTimer(idleDeadline) { [unowned self] in finishReading(GLibError.timedOut) }
        read(for: .reading(Reader(continuation, watch, take)))
      }
    } onCancel: {
      Task.onGLib { self.finishReading(CancellationError()) }
    }
  }

  /// Checks messages while there is no reader, including those that are here already. A message that `isExpected`
  /// rejects closes the socket.
  public func rest(_ isExpected: @escaping Expectation) {
    read(for: .resting(isExpected))
    if fill() { readable() }
  }

  /// Whether data has arrived that was not processed.
  public var hasUnread: Bool { taken < filled || chappie_is_readable(stream) != 0 }

  /// Reads data that has already arrived, if the socket rests.
  public func readWhatIsHere() async {
    // The bound is for data that arrives continuously.
    for _ in 0..<4 {
      guard case .resting = reading, isOpen, hasUnread else { return }
      if taken < filled || fill() { readable() }
      await Task.yield()
    }
  }

  /// Continues reading for `reading`, with the data that is here.
  private func read(for reading: Reading) {
    self.reading = reading
    watchInput()
    readable()
  }

  private var isActive: Bool {
    switch (state, reading) {
    case (.ended, _), (_, .paused), (.open, .nobody): false
    default: true
    }
  }

  /// Keeps the source while someone reads. It stays the same, because each new one costs system calls.
  private func watchInput() {
    if !isActive {
      arrival?.cancel()
      arrival = nil
    } else if arrival == nil {
      // The stream's own source would write to an eventfd four times and poll once more for each read.
      arrival = SourceWatch(socket < 0 ? .input(input) : .descriptor(socket, G_IO_IN), repeats: true) { [weak self] in
        guard let self, fill() else { return }
        readable()
      }
      // The stream may hold bytes that the socket has given up already.
      _ = fill()
    }
  }

  /// Processes the bytes that are here, and reads more in a burst.
  private func readable() {
    if case .ended(let error) = state { return finishReading(error) }
    guard !isProcessing, !hasYielded else { return }
    var slice = TimeSlice()
    repeat {
      guard process(&slice) else { return }
    } while isBurst && !slice.hasPassed && fill()
  }

  /// Reads bytes behind those that wait, unless these suffice.
  ///
  /// - Returns: whether there are bytes to process.
  private func fill() -> Bool {
    guard !isProcessing, filled - taken <= FrameParser.waitingLimit else { return true }
    chunk.update(from: chunk + taken, count: filled - taken)
    filled -= taken
    taken = 0
    var error: UnsafeMutablePointer<GError>?
    let count = g_pollable_input_stream_read_nonblocking(input, chunk + filled, gsize(Self.readSize), nil, &error)
    isBurst = count >= Self.burstSize
    switch StreamRead(count, error) {
    case .bytes(let count):
      filled += count
      if case .reading(let reader) = reading { reader.watch.touch() }
      return true
    case .nothingYet: break
    case .end: end(GLibError(webSocket: "the peer closed the connection"))
    case .failed(let error): end(error)
    }
    return false
  }

  /// Processes complete frames until the reader pauses, or for a slice of time.
  ///
  /// - Returns: whether only an incomplete frame is left, if any.
  private func process(_ slice: inout TimeSlice) -> Bool {
    isProcessing = true
    defer { isProcessing = false }
    while taken < filled {
      guard isActive else { return false }
      if slice.isOver() {
        hasYielded = true
        Task.onGLib {
          hasYielded = false
          readable()
        }
        return false
      }
      do throws(FrameParser.Problem) {
        let bytes = Span(_unsafeStart: chunk + taken, count: filled - taken)
        let count = try parser.next(in: bytes, at: { Int64(g_get_monotonic_time()) / 1_000_000 }) { take($0, $1) }
        guard count > 0 else { return true }
        taken += count
      } catch {
        fail(error)
        return false
      }
    }
    return true
  }

  private func take(_ content: FrameParser.Content, _ payload: borrowing Span<UInt8>) {
    switch content {
    case .pong: break
    case .ping: if isOpen { writer.send(.pong, payload) }
    case .close:
      if isOpen { writer.send(.close, payload) }
      end(GLibError(webSocket: "the peer closed the connection"))
    case .text:
      guard Self.isText(payload) else { return fail(.malformed) }
      switch reading {
      case .reading(let reader): go(on: reader.take(payload), reader)
      case .resting(let isExpected):
        if !isExpected(payload) { refuse("the peer sent an unexpected message", SOUP_WEBSOCKET_CLOSE_UNSUPPORTED_DATA) }
      case .nobody, .paused: break
      }
    }
  }

  private static func isText(_ bytes: borrowing Span<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      bytes.isEmpty
        || g_utf8_validate_len(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), gsize(bytes.count), nil) != 0
    }
  }

  private func go(on flow: FlowControl, _ reader: Reader) {
    switch flow {
    case .proceed: break
    case .stop: finishReading(nil)
    case .pause, .decide:
      reading = .paused(reader)
      watchInput()
      Task.onGLib {
        let goesOn = await flow.goesOn()
        guard case .paused(let reader) = reading else { return }
        reader.watch.touch()
        reading = .reading(reader)
        guard goesOn else { return finishReading(nil) }
        read(for: .reading(reader))
      }
    }
  }

  private func finishReading(_ error: (any Error)?) {
    switch reading {
    case .nobody, .resting: return
    case .reading(let reader), .paused(let reader):
      reading = .nobody
      watchInput()
      reader.watch.cancel()
      if let error { reader.continuation.resume(throwing: error) } else { reader.continuation.resume() }
    }
  }

  // MARK: The end

  private func fail(_ problem: FrameParser.Problem) {
    switch problem {
    case .flood: refuse("the peer sent a flood of empty or control frames", SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION)
    case .messageTooLong: refuse("the peer sent a message that is too long", SOUP_WEBSOCKET_CLOSE_TOO_BIG)
    case .binary: refuse("the peer sent a binary message", SOUP_WEBSOCKET_CLOSE_UNSUPPORTED_DATA)
    case .malformed: refuse("the peer sent an invalid frame", SOUP_WEBSOCKET_CLOSE_PROTOCOL_ERROR)
    }
  }

  private func refuse(_ reason: String, _ code: SoupWebsocketCloseCode) {
    if isOpen { sendClose(code) }
    end(GLibError(webSocket: reason))
  }

  private func end(_ error: GLibError) {
    if case .ended = state { return }
    if case .closing(_, let timer) = state { timer.cancel() }
    state = .ended(error)
    watchInput()
    writer.finish()
    if case .reading = reading { finishReading(error) }
  }
}

extension GLibError {
  fileprivate init(webSocket message: String) {
    self.init(domain: "chappie-websocket", code: 0, message: message)
  }
}
