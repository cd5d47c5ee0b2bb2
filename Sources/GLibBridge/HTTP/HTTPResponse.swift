// SPDX-License-Identifier: Apache-2.0
import CGLib
import SecretMemory

/// A response whose body has not been read.
///
/// Releasing it closes the connection, unless the body has been read to its end.
@GLibActor
public final class HTTPResponse {
  /// A consumer of one chunk of the body. The chunk is valid only during the call.
  public typealias Take = @GLibActor (borrowing Span<UInt8>) -> FlowControl

  public let status: Int
  public let headers: HTTPHeaders
  private let stream: UnsafeMutablePointer<GInputStream>

  init(status: Int, headers: HTTPHeaders, body: UnsafeMutablePointer<GInputStream>) {
    self.status = status
    self.headers = headers
    stream = body
  }

  isolated deinit {
    g_object_unref(stream)
  }

  /// Reads the body to its end.
  ///
  /// - Parameters:
  ///   - limit: the longest body, in bytes.
  ///   - deadline: the longest time without a chunk.
  /// - Throws: ``GLibError`` when the connection breaks, the deadline passes or the body exceeds `limit`;
  ///   `CancellationError`.
  public func bytes(limit: Int, deadline: Duration) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await read(limit: limit, deadline: deadline) { bytes.append(copying: $0) }
    return bytes
  }

  /// Reads the body to its end into guarded memory.
  ///
  /// - Throws: as ``bytes(limit:deadline:)``.
  public func secret(limit: Int, deadline: Duration) async throws -> SecretBytes {
    var parts: [SecretBytes] = []
    try await read(limit: limit, deadline: deadline) { parts.append(SecretBytes(copying: $0, $0.indices)) }
    return SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { whole in
      var offset = 0
      for part in parts { offset = whole.write(part, at: offset) }
    }
  }

  /// The length of the body that the server announced, when it is sent without a coding. libsoup treats a closed
  /// connection as the end of the body.
  private var announced: Int? {
    guard status != 204, status != 304, headers["transfer-encoding"] == nil, headers["content-encoding"] == nil else {
      return nil
    }
    return headers["content-length"].flatMap { Int($0) }
  }

  private func read(
    limit: Int, deadline: Duration, _ take: @escaping @GLibActor (borrowing Span<UInt8>) -> Void
  ) async throws {
    var total = 0
    try await forEachChunk(idleDeadline: deadline) { chunk in
      total += chunk.count
      guard total <= limit else { return .stop }
      take(chunk)
      return .proceed
    }
    guard total <= limit else {
      throw GLibError(domain: "chappie-http", code: 1, message: "the response is longer than \(limit) bytes")
    }
    if let announced, total < announced {
      throw GLibError(domain: "chappie-http", code: 3, message: "the response is truncated")
    }
  }

  /// Calls `take` with each chunk of the body as it arrives, without a thread switch.
  ///
  /// - Parameter idleDeadline: the longest time without a chunk; after it the call fails with ``GLibError/timedOut``.
  /// - Throws: ``GLibError`` when the connection breaks, `CancellationError`.
  public func forEachChunk(idleDeadline: Duration, _ take: @escaping Take) async throws {
    let reader = ChunkReader(stream: stream, idleDeadline: idleDeadline, take: take)
    try await withTaskCancellationHandler {
      try await reader.run()
    } onCancel: {
      Task.onGLib { reader.cancel() }
    }
  }
}

/// The outcome of one read of a stream.
enum StreamRead {
  case bytes(Int)
  case nothingYet
  case end
  case failed(GLibError)

  /// Takes ownership of the error.
  init(_ count: gssize, _ error: UnsafeMutablePointer<GError>?) {
    guard let error else {
      self = count > 0 ? .bytes(count) : .end
      return
    }
    // The usual outcome costs no GLibError.
    if g_error_matches(error, g_io_error_quark(), Int32(G_IO_ERROR_WOULD_BLOCK.rawValue)) != 0 {
      g_error_free(error)
      self = .nothingYet
    } else {
      self = .failed(GLibError(consuming: error))
    }
  }
}

/// Reads a body once. It starts an asynchronous read for each chunk, because a pollable source that is kept across
/// reads makes libsoup spin.
@GLibActor
private final class ChunkReader {
  private static let chunkSize = 32 * 1024
  /// Chunks at shorter intervals, in microseconds, are a burst, in which a further non-blocking read is worthwhile.
  private static let burstGap: Int64 = 1000

  private let stream: UnsafeMutablePointer<GInputStream>
  /// The same stream, if it supports non-blocking reads.
  private let pollableStream: OpaquePointer?
  private let cancellable = g_cancellable_new()
  private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: chunkSize)
  private let idleDeadline: Duration
  private let take: HTTPResponse.Take
  private var continuation: CheckedContinuation<Void, any Error>?
  private var isBurst = false
  /// Waits for the consumer; nil while a read is pending.
  private var pause: Task<Void, Never>?
  private var watch: InactivityTimer?
  private var expired = false

  init(stream: UnsafeMutablePointer<GInputStream>, idleDeadline: Duration, take: @escaping HTTPResponse.Take) {
    self.stream = stream
    let pollable = UnsafeMutableRawPointer(stream)
    pollableStream = chappie_can_poll(pollable) != 0 ? OpaquePointer(pollable) : nil
    self.idleDeadline = idleDeadline
    self.take = take
  }

  isolated deinit {
    buffer.update(repeating: 0, count: Self.chunkSize)
    buffer.deallocate()
    g_object_unref(cancellable)
  }

  func run() async throws {
    try Task.checkCancellation()
    watch = InactivityTimer(idleDeadline) { [unowned self] in
      expired = true
      cancel()
    }
    defer { watch?.cancel() }
    try await withCheckedThrowingContinuation { continuation in
      self.continuation = continuation
      readNext()
    }
  }

  func cancel() {
    g_cancellable_cancel(cancellable)
    // The next read fails at once.
    pause?.cancel()
  }

  private func readNext() {
    g_input_stream_read_async(
      stream, buffer, gsize(Self.chunkSize), G_PRIORITY_DEFAULT, cancellable,
      { _, result, data in
        GLibActor.assumeIsolated {
          guard let data else { return }
          Unmanaged<ChunkReader>.fromOpaque(data).takeRetainedValue().finishRead(result)
        }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func finishRead(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    let count = g_input_stream_read_finish(stream, result, &error)
    isBurst = watch.map { $0.touch() < Self.burstGap } ?? false
    switch StreamRead(count, error) {
    case .bytes(let count): deliver(count)
    case .nothingYet: readNext()
    case .end: finish(nil)
    case .failed(let error): finish(failure(error))
    }
  }

  /// Delivers the first chunk together with data that is already available. libsoup returns one HTTP chunk for each
  /// read, and an iteration of the main loop for each would cost more than the chunk itself.
  private func deliver(_ first: Int) {
    var count = first
    while count < Self.chunkSize {
      switch readMore(at: count) {
      case .bytes(let more):
        count += more
        continue
      case .nothingYet:
        go(on: takeBuffer(count)) { self.readNext() }
      case .end:
        go(on: takeBuffer(count)) { self.finish(nil) }
      case .failed(let error):
        go(on: takeBuffer(count)) { self.finish(self.failure(error)) }
      }
      return
    }
    go(on: takeBuffer(count)) { self.readNext() }
  }

  private func takeBuffer(_ count: Int) -> FlowControl {
    take(Span(_unsafeElements: UnsafeBufferPointer(start: buffer, count: count)))
  }

  private func readMore(at offset: Int) -> StreamRead {
    guard isBurst, let pollable = pollableStream else { return .nothingYet }
    var error: UnsafeMutablePointer<GError>?
    let count = g_pollable_input_stream_read_nonblocking(
      pollable, buffer + offset, gsize(Self.chunkSize - offset), cancellable, &error)
    return StreamRead(count, error)
  }

  private func go(on flow: FlowControl, _ next: @escaping @GLibActor () -> Void) {
    switch flow {
    case .proceed: next()
    case .stop: finish(nil)
    case .pause, .decide:
      pause = Task.onGLib {
        let goesOn = await flow.goesOn()
        pause = nil
        watch?.touch()
        if goesOn { next() } else { finish(nil) }
      }
    }
  }

  private func failure(_ error: GLibError) -> any Error {
    guard error.isCancelled else { return error }
    return expired ? GLibError.timedOut : CancellationError()
  }

  private func finish(_ error: (any Error)?) {
    let continuation = self.continuation
    self.continuation = nil
    if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
  }
}
