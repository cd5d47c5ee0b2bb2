// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform

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
      guard let socket = try await connect(to: bus) else { return try await open(bus) }
      guard let outcome = await offActor({ BusAuthentication.authenticate(socket) }) else {
        throw GLibError(domain: "chappie-bus", code: 3, message: "the bus does not accept this user")
      }
      return try await open(socket, outcome, bus, error)
    }
  }

  /// Opens a connection to the bus; nil when its address is not a Unix socket.
  private static func connect(to bus: Bus) async throws -> Descriptor? {
    let address = await offActor {
      Result { () throws -> String in
        let address = try checked { g_dbus_address_get_for_bus_sync(bus.type, nil, &$0) }
        defer { g_free(address) }
        return address.map { String(cString: $0) } ?? ""
      }
    }
    let stream = try await asyncCall { [address = try address.get()] cancellable, callback, data in
      g_dbus_address_get_stream(address, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_address_get_stream_finish(result, nil, &error)
    }
    guard let stream else { throw GLibError.timedOut }
    defer { g_object_unref(stream) }
    let number = chappie_unix_socket(stream)
    guard number >= 0 else { return nil }
    guard let socket = Descriptor(owning: fcntl(number, F_DUPFD_CLOEXEC, 0)) else { throw GLibError(errno: errno) }
    return socket
  }

  private static func open(
    _ socket: Descriptor, _ outcome: BusAuthentication.Outcome, _ bus: Bus,
    _ error: @escaping @GLibActor (String) -> BusError
  ) async throws -> BusConnection {
    let refuser = Refuser(error)
    let guarded = GuardedStream(MessageGuard { rejected in Task.onGLib { refuser.refuse(rejected) } })
    let descriptors = DescriptorStream()
    let stream = g_simple_io_stream_new(
      guarded.makeStream(owning: try socket.duplicated()), descriptors.makeStream(owning: try socket.duplicated()))
    defer { g_object_unref(stream) }
    let connection = try await asyncCall { cancellable, callback, data in
      g_dbus_connection_new(
        stream, nil, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, nil, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_connection_new_finish(result, &error).map {
        BusConnection(
          owning: $0, guid: outcome.guid, .guarded(bus), outcome.passesDescriptors ? .through(descriptors) : .nowhere)
      }
    }
    guard let connection else { throw GLibError.timedOut }
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
      error("\(message.reason)").send(to: sender, replyTo: serial, on: connection.pointer)
    }
  }
}

extension Descriptor {
  /// Duplicates the descriptor. The caller owns the copy.
  fileprivate func duplicated() throws -> Int32 {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw GLibError(errno: errno) }
    return copy
  }
}

extension GLibError {
  init(errno number: Int32) {
    self.init(domain: "errno", code: number, message: String(cString: strerror(number)))
  }
}

/// D-Bus authentication on a Unix socket with the EXTERNAL mechanism, which uses the kernel's credentials of the
/// socket.
enum BusAuthentication {
  private static let deadline = 10_000

  struct Outcome {
    /// The GUID of the bus.
    let guid: String
    let passesDescriptors: Bool
  }

  /// - Returns: nil when the bus rejects this user or the peer is not a bus.
  static func authenticate(_ bus: Descriptor) -> Outcome? {
    let user = String(geteuid()).utf8.flatMap { [hex($0 >> 4), hex($0 & 15)] }
    // All at once: the bus answers each line in turn, and a start waits for one round trip less.
    let lines = [0] + Array("AUTH EXTERNAL ".utf8) + user + Array("\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n".utf8)
    guard send(bus.number, lines, lines.count, Int32(MSG_NOSIGNAL)) == lines.count, let answer = line(from: bus),
      answer.hasPrefix("OK "),
      let negotiation = line(from: bus)
    else { return nil }
    return Outcome(guid: String(answer.dropFirst(3)), passesDescriptors: negotiation.hasPrefix("AGREE_UNIX_FD"))
  }

  private static func hex(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }

  /// Reads a line byte by byte, so that the bytes after it stay in the socket.
  private static func line(from bus: Descriptor) -> String? {
    var line: [UInt8] = []
    while line.count < 1024 {
      var byte: UInt8 = 0
      let count = read(bus.number, &byte, 1)
      if count == 1 {
        if byte == UInt8(ascii: "\n") { return String(decoding: line.dropLast(), as: UTF8.self) }
        line.append(byte)
        continue
      }
      guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
      var waiting = pollfd(fd: bus.number, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32(deadline)) != 0 else { return nil }
    }
    return nil
  }
}
