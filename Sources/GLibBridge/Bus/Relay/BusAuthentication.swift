import Glibc
import Platform

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
    guard bus.send(lines[...]), let answer = line(from: bus), answer.hasPrefix("OK "),
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
