import CGLib
import CLibsoup

/// One end of an open WebSocket, for text messages. A binary message closes it.
///
/// Releasing it closes the connection; ``close()`` sends a close frame first.
@GLibActor
public final class WebSocket {
  /// The maximum length of a message that a client receives, in bytes.
  static let messageLimit: guint64 = 6 << 20
  /// The interval between pings, in seconds. Routers drop idle connections.
  private static let pingInterval: UInt32 = 30

  /// A consumer of one message. The message is valid only during the call.
  public typealias Take = @GLibActor (borrowing Span<UInt8>) -> FlowControl

  private enum State {
    case open
    /// Waits for the peer's close frame, and keeps the socket alive until then.
    case closing(WebSocket)
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

  /// Returns whether a message is allowed while there is no reader.
  public typealias Expectation = @GLibActor (borrowing Span<UInt8>) -> Bool

  private enum Reading {
    case nobody
    case resting(Expectation)
    case reading(Reader)
    case paused(Reader)
  }

  private let connection: OpaquePointer
  private var state = State.open
  private var reading = Reading.nobody
  private var backlog = MessageBacklog()
  /// The pacing of reads at the client's end, whose peer is not trusted.
  private let pace: SocketPace?

  /// - Parameter messageLimit: the maximum length of a received message, in bytes.
  init(owning connection: OpaquePointer, messageLimit: guint64 = WebSocket.messageLimit, pace: SocketPace? = nil) {
    self.connection = connection
    self.pace = pace
    soup_websocket_connection_set_max_incoming_payload_size(connection, messageLimit)
    soup_websocket_connection_set_keepalive_interval(connection, Self.pingInterval)
    connectSignals()
  }

  /// Creates the server's end of a connection.
  package convenience init(serving connection: OpaquePointer, messageLimit: guint64) {
    self.init(owning: connection, messageLimit: messageLimit)
  }

  isolated deinit {
    g_signal_handlers_disconnect_matched(
      UnsafeMutableRawPointer(connection), G_SIGNAL_MATCH_DATA, 0, 0, nil, nil,
      Unmanaged.passUnretained(self).toOpaque())
    g_object_unref(UnsafeMutableRawPointer(connection))
  }

  /// Whether messages can be sent.
  public var isOpen: Bool {
    guard case .open = state else { return false }
    return soup_websocket_connection_get_state(connection) == SOUP_WEBSOCKET_STATE_OPEN
  }

  /// Sends one message; `text` must be UTF-8. On a closed socket this does nothing, and the reader receives an error.
  public func send(_ text: [UInt8]) {
    guard isOpen else { return }
    // Later messages are responses, so they are queued for the next reader.
    if case .resting = reading { reading = .nobody }
    let bytes = g_bytes_new(text, gsize(text.count))
    soup_websocket_connection_send_message(connection, SOUP_WEBSOCKET_DATA_TEXT, bytes)
    g_bytes_unref(bytes)
  }

  /// Sends a close frame and closes the connection after the peer's close frame.
  public func close() {
    guard isOpen else { return }
    state = .closing(self)
    soup_websocket_connection_close(connection, UInt16(SOUP_WEBSOCKET_CLOSE_NORMAL.rawValue), nil)
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
        reading = .reading(Reader(continuation, watch, take))
        drain()
      }
    } onCancel: {
      Task.onGLib { self.finishReading(CancellationError()) }
    }
  }

  private func received(_ message: OpaquePointer?, isText: Bool) {
    guard let message, case .open = state else { return }
    guard isText else { return end(GLibError(webSocket: "the peer sent a binary message")) }
    if case .resting(let isExpected) = reading { return hold(message, against: isExpected) }
    if case .reading(let reader) = reading, backlog.isEmpty {
      reader.watch.touch()
      hand(message, to: reader)
    } else {
      backlog.append(message)
      if backlog.isFull { end(GLibError(webSocket: "the peer sent more messages than can be queued")) }
    }
  }

  // MARK: Resting

  /// Checks messages while there is no reader, including queued ones. A message that `isExpected` rejects closes the
  /// socket.
  public func rest(_ isExpected: @escaping Expectation) {
    reading = .resting(isExpected)
    while case .open = state, let message = backlog.popFirst() {
      hold(message, against: isExpected)
      g_bytes_unref(message)
    }
  }

  private func hold(_ message: OpaquePointer, against isExpected: Expectation) {
    let isFine = Self.withBytes(of: message) { isExpected($0) }
    if !isFine { end(GLibError(webSocket: "the peer sent an unexpected message")) }
  }

  /// Whether data has arrived that was not processed.
  public var hasUnread: Bool {
    !backlog.isEmpty || chappie_is_readable(soup_websocket_connection_get_io_stream(connection)) != 0
  }

  /// Gives libsoup time to read data that has already arrived.
  public func readWhatIsHere() async {
    // Two iterations of the main loop are sufficient. The bound is for data that arrives continuously.
    for _ in 0..<4 where isOpen && hasUnread { await Task.yield() }
  }

  private func drain() {
    while case .reading(let reader) = reading {
      guard let message = backlog.popFirst() else {
        if case .ended(let error) = state { finishReading(error) }
        return
      }
      hand(message, to: reader)
      g_bytes_unref(message)
    }
  }

  private func hand(_ message: OpaquePointer, to reader: Reader) {
    go(on: Self.withBytes(of: message) { reader.take($0) }, reader)
  }

  private static func withBytes<Result>(of message: OpaquePointer, _ body: (borrowing Span<UInt8>) -> Result) -> Result
  {
    var count: gsize = 0
    let start = g_bytes_get_data(message, &count)?.assumingMemoryBound(to: UInt8.self)
    return body(Span(_unsafeElements: UnsafeBufferPointer(start: start, count: Int(count))))
  }

  private func go(on flow: FlowControl, _ reader: Reader) {
    switch flow {
    case .proceed: break
    case .stop: finishReading(nil)
    case .pause, .decide:
      reading = .paused(reader)
      pace?.hold()
      Task.onGLib {
        let goesOn = await flow.goesOn()
        pace?.release()
        guard case .paused(let reader) = reading else { return }
        reader.watch.touch()
        reading = .reading(reader)
        if goesOn { drain() } else { finishReading(nil) }
      }
    }
  }

  private func finishReading(_ error: (any Error)?) {
    switch reading {
    case .nobody, .resting: return
    case .reading(let reader), .paused(let reader):
      reading = .nobody
      reader.watch.cancel()
      if let error { reader.continuation.resume(throwing: error) } else { reader.continuation.resume() }
    }
  }

  // MARK: The end

  private func end(_ error: GLibError) {
    if case .ended = state { return }
    let wasOpen = isOpen
    state = .ended(error)
    if wasOpen {
      soup_websocket_connection_close(connection, UInt16(SOUP_WEBSOCKET_CLOSE_UNSUPPORTED_DATA.rawValue), nil)
    }
    // Messages before the end are still delivered.
    if case .reading = reading { drain() }
  }

  private func connectSignals() {
    let message: @convention(c) (OpaquePointer?, Int32, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
      _, type, bytes, data in
      GLibActor.assumeIsolated {
        WebSocket.of(data).received(bytes, isText: type == Int32(SOUP_WEBSOCKET_DATA_TEXT.rawValue))
      }
    }
    let error: @convention(c) (OpaquePointer?, UnsafeMutablePointer<GError>?, UnsafeMutableRawPointer?) -> Void = {
      _, error, data in
      GLibActor.assumeIsolated {
        let text = error.map { String(cString: $0.pointee.message) } ?? "the connection broke"
        WebSocket.of(data).end(GLibError(webSocket: text))
      }
    }
    let closed: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { _, data in
      GLibActor.assumeIsolated {
        WebSocket.of(data).end(GLibError(webSocket: "the peer closed the connection"))
      }
    }
    connect("message", unsafeBitCast(message, to: GCallback.self))
    connect("error", unsafeBitCast(error, to: GCallback.self))
    connect("closed", unsafeBitCast(closed, to: GCallback.self))
  }

  private func connect(_ signal: String, _ callback: @escaping GCallback) {
    g_signal_connect_data(
      UnsafeMutableRawPointer(connection), signal, callback, Unmanaged.passUnretained(self).toOpaque(), nil,
      GConnectFlags(rawValue: 0))
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> WebSocket {
    guard let data else { preconditionFailure("GLib lost a signal's user data") }
    return Unmanaged<WebSocket>.fromOpaque(data).takeUnretainedValue()
  }
}

extension GLibError {
  fileprivate init(webSocket message: String) {
    self.init(domain: "chappie-websocket", code: 0, message: message)
  }
}
