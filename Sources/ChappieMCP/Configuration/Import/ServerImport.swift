// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The servers in the configuration of another program: `mcpServers` of Claude and Cursor, `servers` of VS Code, and
/// `[mcp_servers.NAME]` of Codex.
package struct ServerImport: Sendable {
  /// The longest file, in bytes: that of Claude Code also holds conversations.
  package static let sizeLimit = 16 << 20

  /// A server of the file, or the reason why it cannot be used.
  package struct Server: Sendable {
    package let name: String
    package let entry: Result<ToolServerEntry, ToolsFileError>
  }

  /// Sorted by name.
  package let servers: [Server]

  /// Reads a file. One whose name ends with `.toml` is Codex's.
  ///
  /// - Throws: ``ToolsFileError``.
  package init(path: String) throws(ToolsFileError) {
    let shown = path.terminalSafeLine
    do throws(FileError) {
      let bytes = try Files.read(path, limit: Self.sizeLimit)
      do throws(ClauseError) {
        try self.init(bytes, isTOML: path.hasSuffix(".toml"))
      } catch {
        throw FileError.failed(error.reason.translation)
      }
    } catch {
      throw ToolsFileError(translatable("Nothing was taken from \(shown): \(error)."))
    }
  }

  init(_ bytes: [UInt8], isTOML: Bool) throws(ClauseError) {
    // Editors may begin a file with U+FEFF.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard let text = String(validating: bytes.dropFirst(bytes.starts(with: mark) ? 3 : 0), as: UTF8.self) else {
      throw ClauseError(translatable("it is no UTF-8 text"))
    }
    let json: ChappieJSONValue
    if isTOML {
      json = try TOMLReader.read(text)
    } else if let read = try? ChappieJSONValue(json: RelaxedJSON.strict(text)) {
      json = read
    } else {
      throw ClauseError(translatable("it is no JSON, or has a name twice in an object"))
    }
    let names = isTOML ? ["mcp_servers"] : [ToolsFile.serversName, "servers"]
    let found = names.compactMap { json[$0]?.objectValue }.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    guard !found.isEmpty else {
      throw ClauseError(translatable("it has no \(names.joined(separator: ", "))"))
    }
    guard found.count <= ToolsFile.serverLimit else {
      throw ClauseError(translatable("it has more than \(ToolsFile.serverLimit) servers"))
    }
    servers = found.sorted { $0.key < $1.key }.map { name, value in
      do throws(ClauseError) {
        return Server(name: name, entry: .success(try Self.entry(name, value, isCodex: isTOML)))
      } catch {
        return Server(name: name, entry: .failure(ToolsFileError(translatable("Not taken: \(error)."))))
      }
    }
  }

  /// The server as it is written there. Nothing of it is checked before the user's own choices are known.
  ///
  /// - Parameter isCodex: whether the server has the members that Codex knows.
  private static func entry(
    _ name: String, _ json: ChappieJSONValue, isCodex: Bool
  ) throws(ClauseError) -> ToolServerEntry {
    let fields = Fields(json, of: name.terminalSafeLine)
    try fields.refuseHTTP()
    if try fields.text("envFile") != nil {
      throw ClauseError(
        translatable("“\(name)” has an 'envFile', which is not read here: write its variables to 'env'"))
    }
    // Rights of other programs mean nothing here.
    var members = json.objectValue ?? [:]
    members["chappie"] = nil
    for (key, value) in members where ["command", "args", "env", "cwd"].contains(key) {
      members[key] = try converted(value, of: name)
    }
    if let place = members["cwd"]?.stringValue?.replacing("${HOME}", with: Directories.home) {
      // The slash keeps a name that ends in `:ro`.
      let path = place.isEmpty ? nil : ChappieMCPConfiguration.Directory(argument: place + "/").path
      members["cwd"] = path.map(ChappieJSONValue.string)
      members["chappie"] = path.map { ["directories": [.string($0 + ":ro")]] }
    }
    var entry = try ToolServerEntry(name: name, .object(members))
    if isCodex { try add(fields, to: &entry) }
    return entry
  }

  private static func add(_ fields: Fields, to entry: inout ToolServerEntry) throws(ClauseError) {
    entry.isEnabled = try fields.flag("enabled") ?? true
    if let time = try fields.seconds("tool_timeout_sec") { entry.configuration.callTimeout = .seconds(time) }
    if let time = try fields.seconds("startup_timeout_sec") { entry.configuration.startTimeout = .seconds(time) }
    for name in try fields.texts("disabled_tools") ?? [] { entry.toolPolicies[name] = .deny }
    for name in try fields.texts("env_vars") ?? [] {
      guard Variables.isName(name) else { throw fields.wrong("env_vars", translatable("a list of names")) }
      entry.configuration.environment[name] = "${\(name)}"
    }
  }

  /// The texts of a value, with the variables of other programs in the form of ours.
  private static func converted(_ value: ChappieJSONValue, of server: String) throws(ClauseError) -> ChappieJSONValue {
    switch value {
    case .string(let text): return .string(try converted(text, of: server))
    case .array(let elements):
      return .array(try elements.map { (element) throws(ClauseError) in try converted(element, of: server) })
    case .object(let members):
      var object: [String: ChappieJSONValue] = [:]
      for (name, member) in members { object[name] = try converted(member, of: server) }
      return .object(object)
    default: return value
    }
  }

  private static func converted(_ text: String, of server: String) throws(ClauseError) -> String {
    if let name = variable("${input:", in: text) {
      throw ClauseError(
        translatable(
          """
          “\(server)” asks for “\(name)”: store it with chappie tools secret NAME, and add the server with \
          --env 'VARIABLE=${keyring:NAME}'
          """))
    }
    if let name = variable("${workspaceFolder", in: text) {
      throw ClauseError(
        translatable("“\(server)” uses ${workspaceFolder\(name)}, which only an editor knows: write the directory"))
    }
    return text.replacing("${env:", with: "${").replacing("${userHome}", with: "${HOME}")
  }

  /// What follows `start` up to the next brace.
  private static func variable(_ start: String, in text: String) -> String? {
    text.firstRange(of: start).map { String(text[$0.upperBound...].prefix { $0 != "}" }.prefix(40)).terminalSafeLine }
  }
}

/// JSON as editors write it, with comments and with commas behind last elements.
enum RelaxedJSON {
  /// The same text without comments and such commas, in time that is proportional to its length.
  static func strict(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    // The place in `result` of a comma with nothing but white space and comments behind it.
    var comma: Int?
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if let end = endOfComment(bytes, at: index) {
        index = end
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        let end = endOfString(bytes, from: index)
        result += bytes[index..<end]
        index = end
        comma = nil
        continue
      case UInt8(ascii: ","): comma = result.count
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if let place = comma { result[place] = UInt8(ascii: " ") }
        comma = nil
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
      default: comma = nil
      }
      result.append(byte)
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The end of the comment that begins here; nil where none does. One without an end takes the rest.
  private static func endOfComment(_ bytes: [UInt8], at start: Int) -> Int? {
    guard bytes[start] == UInt8(ascii: "/"), start + 1 < bytes.count else { return nil }
    switch bytes[start + 1] {
    case UInt8(ascii: "/"): return bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    case UInt8(ascii: "*"): return bytes[(start + 2)...].firstRange(of: Array("*/".utf8))?.upperBound ?? bytes.count
    default: return nil
    }
  }

  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }
}
