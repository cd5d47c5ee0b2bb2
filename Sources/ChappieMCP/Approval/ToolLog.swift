// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The last calls of a server, which its helper process writes to `chappie/tools/NAME.log` of the directory for state, a
/// JSON object a line. Neither arguments nor results are in it.
package enum ToolLog {
  /// The longest file that is read, in bytes.
  package static let sizeLimit = 4 << 20

  package enum Line: Sendable, Hashable {
    case call(time: Timestamp, tool: String, status: String, milliseconds: Int, bytes: Int)
    /// What the server wrote to its standard error.
    case output(time: Timestamp, text: String)
  }

  package static func path(_ name: String) -> String { "\(ToolApproval.directory)/\(name).log" }

  /// The last lines, the oldest first. Lines that cannot be read are left out.
  ///
  /// - Throws: ``ToolsFileError``.
  package static func read(_ name: String, limit: Int = 1000) throws(ToolsFileError) -> [Line] {
    do throws(FileError) {
      let bytes = try Files.readOwn(path(name), limit: sizeLimit)
      return bytes.split(separator: UInt8(ascii: "\n")).suffix(limit).compactMap(line)
    } catch .missing {
      return []
    } catch {
      throw ToolsFileError(translatable("\(path(name)) cannot be read: \(error)."))
    }
  }

  private static func line(_ bytes: ArraySlice<UInt8>) -> Line? {
    guard let text = String(validating: bytes, as: UTF8.self), let json = try? ChappieJSONValue(json: text),
      let time = json["time"]?.time
    else { return nil }
    if let text = json["stderr"]?.stringValue { return .output(time: time, text: text) }
    guard let tool = json["tool"]?.stringValue, let status = json["status"]?.stringValue else { return nil }
    return .call(
      time: time, tool: tool, status: status, milliseconds: json["ms"]?.count?.value ?? 0,
      bytes: json["bytes"]?.count?.value ?? 0)
  }
}

/// Writes what a tool server did, as ``ToolLog`` reads it.
@GLibActor
package final class ToolLogWriter {
  /// The longest file, in bytes. Then the older half is dropped.
  static let limit = 256 << 10

  private let path: String
  private var lines: [[UInt8]]
  /// The bytes of ``lines`` with their ends.
  private var size: Int
  private var isChanged = false
  private var writing: Task<Void, Never>?

  /// - Parameter path: the file. Its directory is made when it is missing.
  package init(_ path: String) {
    self.path = path
    let bytes = (try? Files.readOwn(path, limit: ToolLog.sizeLimit)) ?? []
    lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    size = lines.reduce(0) { $0 + $1.count + 1 }
  }

  func note(_ tool: String, _ status: String, _ duration: Duration, bytes: Int) {
    note([
      "tool": .string(tool), "status": .string(status), "ms": .integer(Int64(duration.wholeMilliseconds)),
      "bytes": .integer(Int64(bytes)),
    ])
  }

  func note(errors line: String) { note(["stderr": .string(line)]) }

  private func note(_ members: [String: ChappieJSONValue]) {
    var members = members
    members["time"] = .integer(Timestamp.now.unixSeconds)
    let line = ChappieJSONValue.object(members).encoded
    lines.append(line)
    size += line.count + 1
    while size > Self.limit {
      let dropped = lines.count / 2 + 1
      size -= lines.prefix(dropped).reduce(0) { $0 + $1.count + 1 }
      lines.removeFirst(dropped)
    }
    isChanged = true
    guard writing == nil else { return }
    writing = Task.onGLib {
      repeat {
        // A server may write thousands of lines.
        try? await sleep(for: .milliseconds(200))
        isChanged = false
        await write()
      } while isChanged
      writing = nil
    }
  }

  /// Writes what is not in the file yet.
  func finish() async {
    guard let writing else { return }
    writing.cancel()
    await writing.value
  }

  private func write() async {
    let bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
    await offActor { [path] in
      try? StorageDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])).make()
      try? Files.write(bytes, to: path)
    }
  }
}
