import CGLib
import CLibsoup

/// A stream between libsoup and a WebSocket's connection that paces libsoup's reads: libsoup reads while data is
/// available, and other event sources would starve.
///
/// The stream reports that no data is available when a time slice is over or the reader pauses. It reports an error
/// when ``FrameMeter`` finds a problem.
@GLibActor
final class SocketPace {
  private enum Flow {
    /// libsoup waits for the stream to become readable.
    case waiting
    case reading(TimeSlice)
    /// The slice is over; libsoup continues in the next iteration.
    case yielded
    /// The data has a problem. libsoup still receives the chunk, because valid frames precede the problem.
    case broken(FrameMeter.Problem)
  }

  private enum Hold {
    case none
    /// Held, with the source that resumes libsoup.
    case held(UnsafeMutablePointer<GSource>?)
  }

  /// The connection that libsoup opened. It owns the stream and is not used any more.
  private let opened: OpaquePointer
  private let input: OpaquePointer
  private var meter: FrameMeter
  /// Data that libsoup has not read yet: the bytes from `taken` to `filled`. libsoup reads a kibibyte at a time, and each
  /// read from the socket is a system call.
  private let chunk = UnsafeMutablePointer<UInt8>.allocate(capacity: chunkSize)
  private var filled = 0
  private var taken = 0
  private static let chunkSize = 16 << 10
  private var flow = Flow.waiting
  private var holding = Hold.none

  fileprivate init(_ opened: OpaquePointer, _ stream: UnsafeMutablePointer<GIOStream>, messageLimit: UInt64) {
    self.opened = opened
    input = OpaquePointer(UnsafeMutableRawPointer(g_io_stream_get_input_stream(stream)))
    meter = FrameMeter(messageLimit: messageLimit)
  }

  isolated deinit {
    drop(holding)
    chunk.deallocate()
    g_object_unref(UnsafeMutableRawPointer(opened))
  }

  // MARK: The reader's side

  /// Stops reading until ``release()``.
  func hold() {
    guard case .none = holding else { return }
    holding = .held(nil)
  }

  func release() {
    guard case .held(let source) = holding else { return }
    holding = .none
    if let source { g_source_set_ready_time(source, 0) }
    drop(.held(source))
  }

  private func drop(_ hold: Hold) {
    if case .held(let source?) = hold { g_source_unref(source) }
  }

  // MARK: libsoup's side

  fileprivate typealias ErrorSlot = UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?

  fileprivate var isReadable: Bool { taken < filled || g_pollable_input_stream_is_readable(input) != 0 }

  fileprivate func read(_ buffer: UnsafeMutableRawPointer?, _ size: gsize, _ error: ErrorSlot) -> gssize {
    if case .held = holding { return Self.fail(error, G_IO_ERROR_WOULD_BLOCK, "the reader pauses") }
    switch flow {
    case .waiting, .yielded: flow = .reading(TimeSlice())
    case .reading(let slice) where slice.hasPassed:
      flow = .yielded
      return Self.fail(error, G_IO_ERROR_WOULD_BLOCK, "others have their turn")
    case .reading: break
    case .broken(let problem) where taken == filled: return Self.fail(error, G_IO_ERROR_FAILED, problem.message)
    case .broken: break
    }
    if taken == filled {
      let count = refill(error)
      guard count > 0 else { return count }
    }
    let count = min(Int(size), filled - taken)
    buffer?.copyMemory(from: chunk + taken, byteCount: count)
    taken += count
    return count
  }

  /// Reads the next chunk.
  ///
  /// - Returns: its length, or the result of the failed read.
  private func refill(_ error: ErrorSlot) -> gssize {
    let count = g_pollable_input_stream_read_nonblocking(input, chunk, gsize(Self.chunkSize), nil, error)
    taken = 0
    filled = max(0, count)
    if count <= 0 {
      flow = .waiting
    } else if let problem = problem(with: Span(_unsafeStart: chunk, count: filled)) {
      flow = .broken(problem)
    }
    return count
  }

  private func problem(with bytes: borrowing Span<UInt8>) -> FrameMeter.Problem? {
    do throws(FrameMeter.Problem) {
      try meter.pass(bytes, at: Int64(g_get_monotonic_time()) / 1_000_000)
      return nil
    } catch {
      return error
    }
  }

  private static func fail(_ error: ErrorSlot, _ code: GIOErrorEnum, _ message: String) -> gssize {
    g_set_error_literal(error, g_io_error_quark(), Int32(code.rawValue), message)
    return -1
  }

  /// Creates the source that becomes ready when libsoup should read.
  fileprivate func source(_ stream: UnsafeMutablePointer<GObject>?, _ cancellable: UnsafeMutablePointer<GCancellable>?)
    -> UnsafeMutablePointer<GSource>?
  {
    let child: UnsafeMutablePointer<GSource>?
    switch (holding, flow) {
    case (.held, _):
      drop(holding)
      // A timeout that never fires by itself.
      child = g_timeout_source_new(.max)
      holding = .held(child.flatMap(g_source_ref))
    case (.none, .yielded), (.none, .broken): child = g_timeout_source_new(0)
    case (.none, _): child = g_pollable_input_stream_create_source(input, nil)
    }
    if case .broken = flow {} else { flow = .waiting }
    defer { if let child { g_source_unref(child) } }
    return g_pollable_source_new_full(stream, child, cancellable)
  }
}

extension FrameMeter.Problem {
  fileprivate var message: String {
    switch self {
    case .flood: "the other end sends a flood of frames that say nothing"
    case .messageTooLong: "the other end sent a message that is too long"
    }
  }
}

// MARK: - GObject

extension WebSocket {
  /// Takes over a client's connection as libsoup opened it.
  convenience init(pacing opened: OpaquePointer) {
    guard let stream = soup_websocket_connection_get_io_stream(opened) else {
      preconditionFailure("libsoup opened a WebSocket without a stream")
    }
    // It must not read any more: its one source is the one that reads.
    let context = GLibActor.shared.executor.context.pointer
    while let source = g_main_context_find_source_by_user_data(context, UnsafeMutableRawPointer(opened)) {
      g_source_destroy(source)
    }
    let pace = SocketPace(opened, stream, messageLimit: UInt64(Self.messageLimit))
    let paced = PacedStreams.connection(pace, over: stream)
    let connection = soup_websocket_connection_new(
      paced, soup_websocket_connection_get_uri(opened), SOUP_WEBSOCKET_CONNECTION_CLIENT,
      soup_websocket_connection_get_origin(opened), soup_websocket_connection_get_protocol(opened), nil)
    guard let connection else { preconditionFailure("libsoup made no WebSocket") }
    g_object_unref(paced)
    self.init(owning: connection, pace: pace)
  }
}

/// The types of GObject through which libsoup sees a ``SocketPace``.
private enum PacedStreams {
  private static let paceKey = g_quark_from_static_string("chappie-socket-pace")
  private static let innerKey = g_quark_from_static_string("chappie-paced-stream")
  private static let inputKey = g_quark_from_static_string("chappie-paced-input")

  /// A new connection over `inner`, which reads as `pace` says. The caller owns it.
  @GLibActor
  static func connection(_ pace: SocketPace, over inner: UnsafeMutablePointer<GIOStream>)
    -> UnsafeMutablePointer<GIOStream>
  {
    guard let input = g_object_new_with_properties(inputType, 0, nil, nil),
      let connection = g_object_new_with_properties(connectionType, 0, nil, nil)
    else { preconditionFailure("GLib made no stream") }
    g_object_set_qdata_full(
      input, paceKey, Unmanaged.passRetained(pace).toOpaque(),
      { data in if let data { Unmanaged<SocketPace>.fromOpaque(data).release() } })
    g_object_set_qdata_full(
      connection, inputKey, UnsafeMutableRawPointer(input), { data in if let data { g_object_unref(data) } })
    g_object_set_qdata_full(
      connection, innerKey, g_object_ref(inner), { data in if let data { g_object_unref(data) } })
    return UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self)
  }

  private static func object(_ instance: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<GObject>? {
    instance?.assumingMemoryBound(to: GObject.self)
  }

  fileprivate static func pace(_ stream: OpaquePointer?) -> SocketPace {
    guard let data = g_object_get_qdata(object(UnsafeMutableRawPointer(stream)), paceKey) else {
      preconditionFailure("a stream lost its pace")
    }
    return Unmanaged<SocketPace>.fromOpaque(data).takeUnretainedValue()
  }

  fileprivate static func inner(_ connection: UnsafeMutablePointer<GIOStream>?) -> UnsafeMutablePointer<GIOStream>? {
    g_object_get_qdata(object(UnsafeMutableRawPointer(connection)), innerKey)?.assumingMemoryBound(to: GIOStream.self)
  }

  private static func register(_ name: String, _ parent: GType, _ initialize: @escaping GClassInitFunc) -> GType {
    var query = GTypeQuery()
    g_type_query(parent, &query)
    return g_type_register_static_simple(
      parent, name, query.class_size, initialize, query.instance_size, nil, GTypeFlags(rawValue: 0))
  }

  private static let inputType: GType = {
    let type = register("ChappiePacedInputStream", g_input_stream_get_type()) { _, _ in }
    var pollable = GInterfaceInfo(
      interface_init: { interface, _ in
        guard let interface else { return }
        let functions = interface.assumingMemoryBound(to: GPollableInputStreamInterface.self)
        functions.pointee.can_poll = { _ in 1 }
        functions.pointee.is_readable = { stream in
          let pace = PacedStreams.pace(stream)
          return GLibActor.assumeIsolated { pace.isReadable } ? 1 : 0
        }
        functions.pointee.create_source = { stream, cancellable in
          let pace = PacedStreams.pace(stream)
          nonisolated(unsafe) let (stream, cancellable) = (stream, cancellable)
          return GLibActor.assumeIsolated {
            pace.source(PacedStreams.object(UnsafeMutableRawPointer(stream)), cancellable)
          }
        }
        functions.pointee.read_nonblocking = { stream, buffer, size, error in
          let pace = PacedStreams.pace(stream)
          nonisolated(unsafe) let (buffer, error) = (buffer, error)
          return GLibActor.assumeIsolated { pace.read(buffer, size, error) }
        }
      }, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, g_pollable_input_stream_get_type(), &pollable)
    return type
  }()

  private static let connectionType: GType = register("ChappiePacedConnection", g_io_stream_get_type()) {
    connectionClass, _ in
    guard let connectionClass else { return }
    let functions = connectionClass.assumingMemoryBound(to: GIOStreamClass.self)
    functions.pointee.get_input_stream = { connection in
      g_object_get_qdata(PacedStreams.object(UnsafeMutableRawPointer(connection)), PacedStreams.inputKey)?
        .assumingMemoryBound(to: GInputStream.self)
    }
    functions.pointee.get_output_stream = { g_io_stream_get_output_stream(PacedStreams.inner($0)) }
    functions.pointee.close_fn = { g_io_stream_close(PacedStreams.inner($0), $1, $2) }
    functions.pointee.close_async = { connection, priority, cancellable, callback, data in
      let task = g_task_new(connection, cancellable, callback, data)
      g_io_stream_close_async(
        PacedStreams.inner(connection), priority, cancellable,
        { inner, result, data in
          var error: UnsafeMutablePointer<GError>?
          let task = OpaquePointer(data)
          let isClosed = g_io_stream_close_finish(
            UnsafeMutableRawPointer(inner)?.assumingMemoryBound(to: GIOStream.self), result, &error)
          if let error { g_task_return_error(task, error) } else { g_task_return_boolean(task, isClosed) }
          g_object_unref(data)
        }, task.map { UnsafeMutableRawPointer($0) })
    }
    functions.pointee.close_finish = { _, result, error in g_task_propagate_boolean(result, error) }
  }
}
