// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup
import Glibc

@testable import GLibBridge

/// A client WebSocket whose server side is a socket of the test.
@GLibActor
final class WebSocketPipe {
  let socket: WebSocket
  private var peer: Int32?

  init() throws {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0,
      let transport = g_socket_new_from_fd(ends[0], nil),
      let uri = g_uri_parse("ws://127.0.0.1/", G_URI_FLAGS_NONE, nil)
    else { throw Failure() }
    peer = ends[1]
    let stream = g_socket_connection_factory_create_connection(transport)
    g_object_unref(transport)
    let connection = stream?.withMemoryRebound(to: GIOStream.self, capacity: 1) {
      soup_websocket_connection_new($0, uri, SOUP_WEBSOCKET_CONNECTION_CLIENT, nil, nil, nil)
    }
    g_uri_unref(uri)
    if let stream { g_object_unref(stream) }
    guard let connection else { throw Failure() }
    socket = WebSocket(over: connection)
  }

  isolated deinit {
    hangUp()
  }

  struct Failure: Error {}

  enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10
  }

  /// Sends an unmasked frame, as a server does.
  func send(_ text: String, _ opcode: Opcode = .text, isLast: Bool = true) {
    send(Array(text.utf8), opcode, isLast: isLast)
  }

  func send(_ payload: [UInt8], _ opcode: Opcode, isLast: Bool = true) {
    precondition(payload.count < 126, "a short frame")
    sendRaw([opcode.rawValue | (isLast ? 0x80 : 0), UInt8(payload.count)] + payload)
  }

  func sendRaw(_ bytes: [UInt8]) {
    guard let peer else { return }
    precondition(write(peer, bytes, bytes.count) == bytes.count)
  }

  /// Sends more bytes than the socket accepts at once.
  func sendSlowly(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty, let peer {
      try Task.checkCancellation()
      let count = rest.withUnsafeBytes { write(peer, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else { try await sleep(for: .milliseconds(1)) }
    }
  }

  /// The opcodes and payloads of the short frames that were received.
  func received() -> [(opcode: Opcode, payload: [UInt8])] {
    guard let peer else { return [] }
    var bytes = [UInt8](repeating: 0, count: 4096)
    bytes.removeLast(4096 - max(0, read(peer, &bytes, 4096)))
    var frames: [(opcode: Opcode, payload: [UInt8])] = []
    while bytes.count >= 6, let opcode = Opcode(rawValue: bytes[0] & 0xF) {
      let end = 6 + Int(bytes[1] & 0x7F)
      guard bytes.count >= end else { break }
      let mask = bytes[2..<6]
      frames.append((opcode, bytes[6..<end].enumerated().map { $1 ^ mask[2 + $0 % 4] }))
      bytes.removeFirst(end)
    }
    return frames
  }

  /// Reads until the socket fails, and returns the error.
  func failure(idleDeadline: Duration = .seconds(30)) async throws -> GLibError {
    do {
      try await socket.forEachMessage(idleDeadline: idleDeadline) { _ in .proceed }
      throw Failure()
    } catch let error as GLibError {
      return error
    }
  }

  /// Closes the connection without a close frame.
  func hangUp() {
    if let peer { Glibc.close(peer) }
    peer = nil
  }
}
