// SPDX-License-Identifier: Apache-2.0

/// A capture of all bus messages, byte for byte, in a log of the world.
@GLibActor
final class BusCapture {
  private let process: ChildProcess
  private let bus: BusConnection

  init(_ directories: WorldDirectories) async throws {
    process = try ChildProcess("bus-capture", "dbus-monitor", ["--session", "--binary"], in: directories)
    bus = try await BusConnection.open(address: directories.busAddress)
    try await waitForMark("begin")
  }

  /// Ends the capture after all messages sent before.
  func end() async throws {
    try await waitForMark("end")
    await process.terminate()
  }

  /// The number of times that a text went over the bus.
  func occurrences(of text: String) throws -> Int {
    try Data(contentsOf: process.log).ranges(of: Data(text.utf8)).count
  }

  /// A captured message: its type in the D-Bus specification, and all its bytes.
  struct Message {
    static let call: UInt8 = 1
    static let reply: UInt8 = 2
    static let signal: UInt8 = 4

    let type: UInt8
    let bytes: Data

    func contains(_ text: String) -> Bool { bytes.contains(text) }
  }

  /// All messages in the order in which the bus sent them.
  func messages() throws -> [Message] {
    var rest = try Data(contentsOf: process.log)
    var messages: [Message] = []
    while rest.count >= 16 {
      let number = { (offset: Int) in
        (0..<4).reduce(0) { $0 | Int(rest[rest.startIndex + offset + $1]) << (8 * $1) }
      }
      // The fixed header, the fields up to a multiple of 8, and the body.
      let length = 16 + (number(12) + 7) & ~7 + number(4)
      messages.append(Message(type: rest[rest.startIndex + 1], bytes: rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return messages
  }

  /// The end of the capture, which may be long.
  private func recent() throws -> Data {
    let file = try FileHandle(forReadingFrom: process.log)
    let length = try file.seekToEnd()
    try file.seek(toOffset: length - min(length, 1 << 16))
    return try file.readToEnd() ?? Data()
  }

  private func waitForMark(_ name: String) async throws {
    let mark = Data("\(name)-of-capture".utf8)
    try await eventually("the \(name) of the capture") {
      try bus.emit(.root, "org.chappie.Tests", "Mark", .tuple("\(name)-of-capture"))
      try await bus.flush()
      return try recent().contains(mark)
    }
  }
}
