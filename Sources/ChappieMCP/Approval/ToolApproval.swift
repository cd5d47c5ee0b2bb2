// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import SecretMemory

/// What the user has approved of a server, in `chappie/tools/NAME.json` of the directory for state.
///
/// A tool is approved as long as the server describes it with the same words: its name, title, description, schemas and
/// annotations. When two processes write the file at once, the last one wins.
package struct ToolApproval: Sendable, Hashable {
  /// The longest file, in bytes.
  package static let sizeLimit = 8 << 20

  /// A failure of the server.
  package struct Failure: Sendable, Hashable {
    package let time: Int64
    /// One sentence.
    package let message: String
  }

  /// Whether the file could be read.
  package enum State: Sendable, Hashable {
    /// Nothing was approved yet.
    case new
    case approved
    /// The server or its program has changed since the approval.
    case changed
    /// The file is damaged, so nothing is approved.
    case damaged(ToolsFileError)
  }

  package let name: String
  private let directory: String
  package private(set) var state = State.new
  /// By the names of the tools.
  package private(set) var pins: [String: ChappieJSONValue] = [:]
  package private(set) var instructions: String?
  /// The absolute path of the server's program at the approval.
  package private(set) var program: String?
  /// The tools that ran after an approval.
  package private(set) var used: Set<String> = []
  /// The revision of the protocol that the server spoke last.
  package var revision: String?
  /// Whether the server spoke a revision with a handshake last.
  package var isLegacy: Bool { revision.map { $0 < MCPSession.modernRevision } ?? false }
  /// The last failure; nil after a start without one.
  package private(set) var error: Failure?

  /// - Parameter directory: the one of all servers.
  package init(name: String, in directory: String = Self.directory) {
    self.name = name
    self.directory = directory
  }

  // MARK: The file

  package static var directory: String { Directories.state + "/chappie/tools" }

  private var path: String { "\(directory)/\(name).json" }

  /// Reads the approval of a server. A missing file approves nothing, and neither does a damaged one.
  package static func load(_ name: String, in directory: String = Self.directory) -> ToolApproval {
    var approval = ToolApproval(name: name, in: directory)
    guard ChappieMCPConfiguration.isName(name) else { return approval }
    do throws(FileError) {
      let bytes = try Files.readOwn(approval.path, limit: sizeLimit)
      if approval.read(bytes) { return approval }
      approval = ToolApproval(name: name, in: directory)
      approval.state = .damaged(
        ToolsFileError(translatable("\(approval.path) is damaged: no tool of “\(name)” is approved.")))
    } catch .missing {
      // Nothing was approved yet.
    } catch {
      approval.state = .damaged(
        ToolsFileError(translatable("\(approval.path) cannot be used: \(error). No tool of “\(name)” is approved.")))
    }
    return approval
  }

  private mutating func read(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self), let json = try? ChappieJSONValue(json: text),
      let pins = json["pins"]?.objectValue
    else { return false }
    self.pins = pins
    instructions = json["instructions"]?.stringValue
    program = json["program"]?.stringValue
    guard json["sha256"]?.stringValue == digest else { return false }
    used = Set((json["used"]?.arrayValue ?? []).compactMap(\.stringValue).filter { pins[bytesOf: $0] != nil })
    revision = json["revision"]?.stringValue
    if let time = json["error"]?["time"]?.time, let message = json["error"]?["message"]?.stringValue {
      error = Failure(time: time.unixSeconds, message: message)
    }
    switch json["state"]?.stringValue {
    case "approved": state = .approved
    case "changed": state = .changed
    default: state = .new
    }
    return true
  }

  /// Writes the approval at once, with mode 0600. A symbolic link at its place is replaced.
  ///
  /// - Throws: ``ToolsFileError``.
  package func save() throws(ToolsFileError) {
    let bytes = json.encoded
    do throws(FileError) {
      guard ChappieMCPConfiguration.isName(name) else { throw .notPermitted }
      guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
      try StorageDirectory(directory).make()
      try Files.write(bytes, to: path)
    } catch {
      throw ToolsFileError(translatable("\(path) cannot be written: \(error)."))
    }
  }

  /// Removes what is kept of a server: its approval and its log.
  package static func remove(_ name: String) {
    guard ChappieMCPConfiguration.isName(name) else { return }
    Files.remove(ToolApproval(name: name).path)
    Files.remove(ToolLog.path(name))
  }

  private var json: ChappieJSONValue {
    var members = covered
    members["sha256"] = .string(digest)
    members["used"] = .array(used.sorted().map(ChappieJSONValue.string))
    members["revision"] = revision.map(ChappieJSONValue.string)
    members["error"] = error.map { ["time": .integer($0.time), "message": .string($0.message)] }
    switch state {
    case .approved: members["state"] = "approved"
    case .changed: members["state"] = "changed"
    case .new, .damaged: break
    }
    return .object(members)
  }

  /// What the digest covers.
  private var covered: [String: ChappieJSONValue] {
    var members: [String: ChappieJSONValue] = ["pins": .object(pins)]
    members["instructions"] = instructions.map(ChappieJSONValue.string)
    members["program"] = program.map(ChappieJSONValue.string)
    return members
  }

  /// SHA-256 over the approved texts, in hexadecimal digits.
  package var digest: String {
    SHA256.digest(of: ChappieJSONValue.object(covered).encoded).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  // MARK: Approving

  /// Whether the user has approved the tool as it is described now.
  package func isApproved(_ tool: MCPTool) -> Bool { pins[bytesOf: tool.name] == tool.pinned }

  /// Approves everything that the server lists.
  ///
  /// - Parameter program: the absolute path of its program.
  package mutating func approve(_ listing: MCPListing, program: String? = nil) {
    let old = pins
    pins = Dictionary(listing.tools.map { ($0.name, $0.pinned) }) { first, _ in first }
    // A tool that was described otherwise asks once more.
    used = used.filter { old[bytesOf: $0] != nil && old[bytesOf: $0] == pins[bytesOf: $0] }
    instructions = listing.instructions
    revision = listing.revision
    self.program = program
    error = nil
    state = .approved
  }

  /// Notes that a tool ran after an approval, so that `automatic` can apply to it.
  package mutating func noteUse(_ tool: MCPTool) {
    if isApproved(tool) { used.insert(tool.name) }
  }

  /// Notes a start of the server, with what differs from the approval.
  package mutating func noteStart(_ listing: MCPListing, program: String? = nil) {
    revision = listing.revision
    error = nil
    if state == .approved, !changes(against: listing, program: program).isEmpty { state = .changed }
  }

  /// Notes a failure of the server.
  package mutating func noteFailure(_ message: String) {
    error = Failure(time: UnixTime.now, message: String(message.terminalSafeLine.prefix(1000)))
  }
}

extension ToolApproval {
  /// The policy for the calls of a tool.
  ///
  /// The user's word about the tool counts first, then that about its server. Where the user trusts the server, the
  /// annotations of the tool decide, and it asks until it ran once.
  package func policy(of tool: MCPTool, _ entry: ToolServerEntry) -> ChappieToolPolicy {
    if let policy = entry.toolPolicies[bytesOf: tool.name] { return policy }
    guard entry.policy == .automatic else { return entry.policy }
    return tool.annotations.policy == .automatic && used.contains(tool.name) && isApproved(tool) ? .automatic : .ask
  }
}

extension MCPTool.Annotations {
  /// The policy for a server that the user trusts, by the rule of Codex.
  package var policy: ChappieToolPolicy {
    if isDestructive == true { return .ask }
    if isReadOnly == true { return .automatic }
    return isDestructive == false && isOpenWorld == false ? .automatic : .ask
  }
}
