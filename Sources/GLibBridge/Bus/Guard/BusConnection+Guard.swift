// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc

extension BusConnection {
  /// Connects to a bus for a service with untrusted callers: incoming messages are limited before GDBus parses them. A
  /// rejected call receives the error that `error` returns for the reason.
  ///
  /// When the bus is not on a Unix socket, this is the same as ``open(_:deadline:)``.
  ///
  /// - Throws: ``GLibError``, `CancellationError`.
  public static func openGuarded(
    _ bus: Bus, deadline: Duration = .seconds(10), error: @escaping @GLibActor (String) -> BusError
  ) async throws -> BusConnection {
    try await withDeadline(deadline) {
      let stream = try await stream(to: bus)
      defer { g_object_unref(stream) }
      let socket = chappie_unix_socket(stream)
      guard socket >= 0 else { return try await open(bus) }
      return try await open(socket, BusAuthentication.authenticate(stream), bus, error)
    }
  }

  private static func stream(to bus: Bus) async throws -> UnsafeMutablePointer<GIOStream> {
    let address = await offActor {
      Result { try checked { takeString(g_dbus_address_get_for_bus_sync(bus.type, nil, &$0)) } }
    }
    return try await asyncCall { [address = try address.get()] cancellable, callback, data in
      g_dbus_address_get_stream(address, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_address_get_stream_finish(result, nil, &error)
    }
  }

  /// - Parameter socket: the descriptor of a socket, which is copied.
  private static func open(
    _ socket: Int32, _ outcome: BusAuthentication.Outcome, _ bus: Bus,
    _ error: @escaping @GLibActor (String) -> BusError
  ) async throws -> BusConnection {
    let refuser = Refuser(error)
    let files = MessageFiles()
    let guarded = GuardedStream(MessageGuard(files: files) { rejected in Task.onGLib { refuser.refuse(rejected) } })
    let descriptors = DescriptorStream()
    let stream = g_simple_io_stream_new(
      guarded.makeStream(owning: try duplicate(socket)), descriptors.makeStream(owning: try duplicate(socket)))
    defer { g_object_unref(stream) }
    let connection = try await asyncCall { cancellable, callback, data in
      g_dbus_connection_new(
        stream, nil, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, nil, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_connection_new_finish(result, &error).map {
        BusConnection(
          owning: $0, guid: outcome.guid, .guarded(bus, files),
          outcome.passesDescriptors ? .through(descriptors) : .nowhere)
      }
    }
    refuser.connection = connection
    return connection
  }

  /// Replies to rejected calls.
  @GLibActor
  private final class Refuser {
    weak var connection: BusConnection?
    private let error: @GLibActor (String) -> BusError
    /// The senders of whose rejected messages one has been logged.
    private var logged: Set<String> = []

    init(_ error: @escaping @GLibActor (String) -> BusError) {
      self.error = error
    }

    func refuse(_ message: RejectedMessage) {
      if logged.count == 256 { logged = [] }
      let name = message.sender ?? "an unknown sender"
      if logged.insert(name).inserted {
        Log.info("A message of \(name: name) was rejected: it \(reason: "\(message.reason)").")
      }
      guard let connection, let sender = message.sender, let serial = message.serial else { return }
      error("\(message.reason)").send(
        to: CallOrigin(sender: sender, serial: serial), on: connection.pointer)
    }
  }
}

/// D-Bus authentication on a Unix socket with the EXTERNAL mechanism, which uses the kernel's credentials of the
/// socket.
@GLibActor
enum BusAuthentication {
  struct Outcome {
    /// The GUID of the bus.
    let guid: String
    let passesDescriptors: Bool
  }

  /// - Throws: ``GLibError``, also when the bus rejects this user or the peer is not a bus; `CancellationError`.
  static func authenticate(_ bus: UnsafeMutablePointer<GIOStream>) async throws -> Outcome {
    let user = String(geteuid()).utf8.map { String($0, radix: 16) }.joined()
    // All at once: the bus answers each line in turn, and a start waits for one round trip less. The socket takes this
    // much without blocking.
    let lines = "\0AUTH EXTERNAL \(user)\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n"
    try checked {
      g_output_stream_write_all(g_io_stream_get_output_stream(bus), lines, gsize(lines.utf8.count), nil, nil, &$0)
    }
    // The bus sends nothing after these lines before GDBus has written, so the buffer takes nothing from it.
    let input = g_data_input_stream_new(g_io_stream_get_input_stream(bus))
    defer { g_object_unref(input) }
    g_data_input_stream_set_newline_type(input, G_DATA_STREAM_NEWLINE_TYPE_CR_LF)
    let answer = try await line(of: input)
    guard answer.hasPrefix("OK ") else {
      throw GLibError(domain: "chappie-bus", code: 3, message: "the bus does not accept this user")
    }
    let negotiation = try await line(of: input)
    return Outcome(guid: String(answer.dropFirst(3)), passesDescriptors: negotiation.hasPrefix("AGREE_UNIX_FD"))
  }

  /// The next line; empty at the end of the stream. Only its deadline bounds it, because the bus is trusted: it sees
  /// every message.
  private static func line(of input: UnsafeMutablePointer<GDataInputStream>?) async throws -> String {
    try await asyncCall { cancellable, callback, data in
      g_data_input_stream_read_line_async(input, G_PRIORITY_DEFAULT, cancellable, callback, data)
    } finish: { result, error in
      takeString(g_data_input_stream_read_line_finish(input, result, nil, &error)) ?? ""
    }
  }
}
