// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Synchronization

/// The input stream of a connection whose messages a ``MessageGuard`` judges.
final class GuardedStream: Sendable {
  private static let key = "chappie-guard"

  /// In use on GDBus's worker thread only.
  private let messages: Mutex<MessageGuard>

  init(_ messages: MessageGuard) {
    self.messages = Mutex(messages)
  }

  /// Makes the stream for GDBus.
  ///
  /// - Parameter socket: the socket to the bus. The stream closes it.
  func makeStream(owning socket: Int32) -> UnsafeMutablePointer<GInputStream>? {
    let converter = newObject(Self.type)
    let input = newObject(Self.socketType, ["fd": socket])
    defer {
      g_object_unref(converter)
      g_object_unref(input)
    }
    for object in [converter, input] {
      g_object_set_data_full(object, Self.key, CallbackBox(self).retained, CallbackBox<GuardedStream>.release)
    }
    let base = input.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GInputStream.self) }
    return g_converter_input_stream_new(base, OpaquePointer(converter))
  }

  // MARK: Reading from the socket

  /// GIO's stream of a descriptor, which would lose the descriptors that come with the bytes.
  private static let socketType = registerType("ChappieGuardedSocket", parent: g_unix_input_stream_get_type()) {
    type, _ in
    type?.assumingMemoryBound(to: GInputStreamClass.self).pointee.read_fn = GuardedStream.read
  }

  private static let descriptorLimit = MessageGuard.Bounds().messageDescriptors

  private static let read:
    @convention(c) (
      UnsafeMutablePointer<GInputStream>?, UnsafeMutableRawPointer?, gsize, UnsafeMutablePointer<GCancellable>?,
      UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gssize = { input, bytes, count, _, error in
      guard let input = input.map({ UnsafeMutableRawPointer($0) }) else { return -1 }
      let data = g_object_get_data(input.assumingMemoryBound(to: GObject.self), key)
      let stream = CallbackBox<GuardedStream>.of(data).closure
      let socket = g_unix_input_stream_get_fd(input.assumingMemoryBound(to: GUnixInputStream.self))
      // On the stack: each message of the bus passes here.
      return withUnsafeTemporaryAllocation(of: Int32.self, capacity: descriptorLimit) { descriptors in
        var taken: Int32 = 0
        let limit = PassedFile.mayBeReceived ? Int32(descriptorLimit) : 0
        let received = chappie_receive(socket, bytes, Int(count), descriptors.baseAddress, limit, &taken)
        if received < 0 {
          let number = errno
          g_set_error_literal(error, g_io_error_quark(), gint(g_io_error_from_errno(number).rawValue), strerror(number))
          return -1
        }
        let files = descriptors.prefix(Int(taken)).map { PassedFile(owning: $0) }
        stream.messages.withLock { $0.receive(received, files) }
        return received
      }
    }

  // MARK: Judging

  private static let type: GType = {
    let type = registerType("ChappieMessageGuard", parent: g_type_from_name("GObject"))
    var interface = GInterfaceInfo(
      interface_init: { interface, _ in
        interface?.assumingMemoryBound(to: GConverterIface.self).pointee.convert = GuardedStream.convert
      }, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, g_converter_get_type(), &interface)
    return type
  }()

  private static let convert:
    @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, gsize, UnsafeMutableRawPointer?, gsize, GConverterFlags,
      UnsafeMutablePointer<gsize>?, UnsafeMutablePointer<gsize>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> GConverterResult = { converter, input, inputCount, output, outputCount, flags, read, written, error in
      let converter = converter.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GObject.self) }
      let stream = CallbackBox<GuardedStream>.of(g_object_get_data(converter, key)).closure
      var rest = UnsafeRawBufferPointer(start: input, count: Int(inputCount))[...]
      var room = UnsafeMutableRawBufferPointer(start: output, count: Int(outputCount))[...]
      func fail(_ code: GIOErrorEnum, _ message: String) -> GConverterResult {
        g_set_error_literal(error, g_io_error_quark(), gint(code.rawValue), message)
        return G_CONVERTER_ERROR
      }
      do {
        try stream.messages.withLock { try $0.convert(&rest, into: &room) }
      } catch {
        return fail(G_IO_ERROR_INVALID_DATA, "the bus sent no D-Bus message")
      }
      read?.pointee = inputCount - gsize(rest.count)
      written?.pointee = outputCount - gsize(room.count)
      if rest.count < inputCount || room.count < outputCount { return G_CONVERTER_CONVERTED }
      if flags.rawValue & G_CONVERTER_INPUT_AT_END.rawValue != 0 { return G_CONVERTER_FINISHED }
      return fail(G_IO_ERROR_PARTIAL_INPUT, "the message is not complete")
    }
}
