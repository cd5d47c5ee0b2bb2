import Glibc
import Platform

/// D-Bus authentication on a Unix socket with the EXTERNAL mechanism, which uses the kernel's credentials of the
/// socket.
enum BusAuthentication {
  private static let deadline = 10_000

  /// - Returns: the GUID of the bus; nil when the bus rejects this user or the peer is not a bus.
  static func authenticate(_ bus: Descriptor) -> String? {
    let user = String(geteuid()).utf8.flatMap { [hex($0 >> 4), hex($0 & 15)] }
    guard bus.send([0] + Array("AUTH EXTERNAL ".utf8) + user + Array("\r\n".utf8)) else { return nil }
    guard let answer = line(from: bus), answer.hasPrefix("OK ") else { return nil }
    return bus.send(Array("BEGIN\r\n".utf8)[...]) ? String(answer.dropFirst(3)) : nil
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
