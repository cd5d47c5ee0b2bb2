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
