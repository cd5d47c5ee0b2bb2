import CGLib
import CLibsoup

/// One end of an open WebSocket. It carries text alone: a binary message ends it.
///
/// Letting go of it cuts the connection; ``close()`` says good-bye first.
@GLibActor
public final class WebSocket {
  /// The longest message that is taken as an answer, in bytes.
  static let messageLimit: guint64 = 6 << 20
  /// How often, in seconds, a ping shows that there is still somebody: routers forget connections that are silent.
  private static let pingInterval: UInt32 = 30

  /// Takes one message, which it may look at until it returns.
  public typealias Take = @GLibActor (borrowing Span<UInt8>) -> FlowControl

  private enum State {
    case open
    /// Waits for the other end's good-bye, and keeps itself until then.
    case closing(WebSocket)
    case ended(GLibError)
  }

  /// A class: it is looked at with each message, and a copy would count three references.
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

  /// Says whether a message may come while nobody waits for one.
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
  /// What lets others have their turn, at the end that a stranger writes to.
  private let pace: SocketPace?

  /// - Parameter messageLimit: the longest message that is taken, in bytes.
  init(owning connection: OpaquePointer, messageLimit: guint64 = WebSocket.messageLimit, pace: SocketPace? = nil) {
    self.connection = connection
    self.pace = pace
    soup_websocket_connection_set_max_incoming_payload_size(connection, messageLimit)
    soup_websocket_connection_set_keepalive_interval(connection, Self.pingInterval)
    connectSignals()
  }

  /// The server's end of a connection.
  package convenience init(serving connection: OpaquePointer, messageLimit: guint64) {
    self.init(owning: connection, messageLimit: messageLimit)
  }

  isolated deinit {
    g_signal_handlers_disconnect_matched(
      UnsafeMutableRawPointer(connection), G_SIGNAL_MATCH_DATA, 0, 0, nil, nil,
      Unmanaged.passUnretained(self).toOpaque())
    g_object_unref(UnsafeMutableRawPointer(connection))
  }

  /// Whether a message could be sent now.
  public var isOpen: Bool {
    guard case .open = state else { return false }
    return soup_websocket_connection_get_state(connection) == SOUP_WEBSOCKET_STATE_OPEN
  }

  /// Sends one message; `text` must be UTF-8. On a socket that is not open it goes nowhere, which the reader is told.
  public func send(_ text: [UInt8]) {
    guard isOpen else { return }
    // What comes from now on was asked for: it waits for its reader, who may come later than a fast answer.
    if case .resting = reading { reading = .nobody }
    let bytes = g_bytes_new(text, gsize(text.count))
    soup_websocket_connection_send_message(connection, SOUP_WEBSOCKET_DATA_TEXT, bytes)
    g_bytes_unref(bytes)
  }

  /// Says good-bye and ends once the other end has.
  public func close() {
    guard isOpen else { return }
    state = .closing(self)
    soup_websocket_connection_close(connection, UInt16(SOUP_WEBSOCKET_CLOSE_NORMAL.rawValue), nil)
  }

  // MARK: Reading

  /// Hands over each message as it comes, until `take` says to stop. One reader at a time.
  ///
  /// - Parameter idleDeadline: the longest silence; after it the call fails with ``GLibError/timedOut``.
  /// - Throws: ``GLibError`` when the connection ends, `CancellationError`.
  public func forEachMessage(idleDeadline: Duration, _ take: @escaping Take) async throws {
    try Task.checkCancellation()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // It ends with the reading, which this call waits for.
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
    guard isText else { return end(GLibError(webSocket: "the other end sent a binary message")) }
    if case .resting(let isExpected) = reading { return hold(message, against: isExpected) }
    if case .reading(let reader) = reading, backlog.isEmpty {
      reader.watch.touch()
      hand(message, to: reader)
    } else {
      backlog.append(message)
      if backlog.isFull { end(GLibError(webSocket: "more came than could be taken")) }
    }
  }

  // MARK: Resting

  /// Takes messages while nobody reads, until somebody does. The first one that is not expected ends the socket, also
  /// one that waits already.
  public func rest(_ isExpected: @escaping Expectation) {
    reading = .resting(isExpected)
    while case .open = state, let message = backlog.popFirst() {
      hold(message, against: isExpected)
      g_bytes_unref(message)
    }
  }

  private func hold(_ message: OpaquePointer, against isExpected: Expectation) {
    let isFine = Self.withBytes(of: message) { isExpected($0) }
    if !isFine { end(GLibError(webSocket: "the other end sent what nobody asked for")) }
  }

  /// Whether something has come that was not looked at.
  public var hasUnread: Bool {
    !backlog.isEmpty || chappie_is_readable(soup_websocket_connection_get_io_stream(connection)) != 0
  }

  /// Lets libsoup read what is here already.
  public func readWhatIsHere() async {
    // Two rounds of the main loop see it; what comes without a pause does not end.
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
    // What came before the end is still handed over.
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
        WebSocket.of(data).end(GLibError(webSocket: "the other end closed the connection"))
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
