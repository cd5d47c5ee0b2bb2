// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Glibc
import Platform

/// A TCP connection to 127.0.0.1 that sends exactly what it is told.
@GLibActor
package final class LoopbackClient {
  package struct Failure: Error {
    package let number: Int32
  }

  private let socket: StreamSocket
  private let descriptor: Descriptor

  /// Connects, which on this address takes no time.
  package init(port: UInt16) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    guard let socket = Descriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)) else {
      throw Failure(number: errno)
    }
    let result = withUnsafeBytes(of: &address) {
      connect(socket.number, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard result == 0 else { throw Failure(number: errno) }
    descriptor = socket
    self.socket = try StreamSocket(socket)
  }

  package func send(_ text: String) { send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) { socket.send { $0 += bytes } }

  /// Tells the listener that nothing more comes.
  package func shutDownOutput() { shutdown(descriptor.number, Int32(SHUT_WR)) }

  /// All that comes until the listener closes the connection.
  package func rest() async throws -> String {
    var bytes: [UInt8] = []
    while true {
      let chunk = try await socket.receive()
      guard !chunk.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk
    }
  }

  /// What a listener answers to one request.
  package static func answer(port: UInt16, _ request: String) async throws -> String {
    let client = try LoopbackClient(port: port)
    client.send(request)
    return try await client.rest()
  }

  /// The number of sockets that this process has open and that belong to a listener: their own port is this one.
  package static func listenerSockets(port: UInt16) throws -> Int {
    var count = 0
    for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init) {
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutableBytes(of: &address) {
        getsockname(number, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
      }
      if result == 0, address.sin_family == sa_family_t(AF_INET), address.sin_port == port.bigEndian { count += 1 }
    }
    return count
  }
}
