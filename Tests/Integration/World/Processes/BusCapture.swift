import Foundation
import GLibBridge

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
      return try recent().range(of: mark) != nil
    }
  }
}
