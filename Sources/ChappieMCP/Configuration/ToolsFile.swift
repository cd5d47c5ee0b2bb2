// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// What is wrong with a configuration of servers, in one sentence.
package struct ToolsFileError: TranslatableError, CustomStringConvertible, Sendable, Hashable {
  package let reason: LocalizedText

  package init(_ reason: LocalizedText) {
    self.reason = reason
  }

  /// The sentence in English.
  package var description: String { reason.original }

  package static func == (left: ToolsFileError, right: ToolsFileError) -> Bool { left.description == right.description }

  package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// The file with the user's servers, `chappie/tools.json` in the directory for configurations. It has the form that other
/// programs use, an object `mcpServers`, and an object `chappie` in each server.
package struct ToolsFile: Sendable {
  /// The longest file, in bytes.
  package static let sizeLimit = 1 << 20
  package static let serverLimit = 256
  private static let lockTime = Duration.seconds(10)
  static let serversName = "mcpServers"

  package static var path: String { Directories.configuration + "/chappie/tools.json" }

  /// Sorted by name.
  package private(set) var servers: [ToolServerEntry] = []
  private let path: String
  /// The whole file. Members that this version does not know stay in it.
  private var content: [String: ChappieJSONValue] = [:]

  /// Reads the file. A missing file is an empty one.
  ///
  /// - Throws: ``ToolsFileError``.
  package static func read(_ path: String = Self.path) throws(ToolsFileError) -> ToolsFile {
    let place = StorageDirectory(path).resolved.path
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.readOwn(place, limit: sizeLimit)
    } catch .missing {
      return try ToolsFile(Array("{}".utf8), path: path)
    } catch {
      throw ToolsFileError(translatable("\(path) cannot be read: \(error)."))
    }
    return try ToolsFile(bytes, path: path)
  }

  init(_ bytes: [UInt8], path: String) throws(ToolsFileError) {
    self.path = path
    do throws(ClauseError) {
      guard let text = String(validating: bytes, as: UTF8.self), let json = try? ChappieJSONValue(json: text) else {
        throw ClauseError(translatable("it is no JSON, or has a name twice in an object"))
      }
      guard let members = json.objectValue else { throw ClauseError(translatable("it is no JSON object")) }
      guard let listed = (json[Self.serversName] ?? .object([:])).objectValue else {
        throw ClauseError(translatable("'\(Self.serversName)' is no object"))
      }
      guard listed.count <= Self.serverLimit else {
        throw ClauseError(translatable("it has more than \(Self.serverLimit) servers"))
      }
      content = members
      for (name, value) in listed.sorted(by: { $0.key < $1.key }) {
        let entry = try ToolServerEntry(name: name, value)
        do throws(ToolsFileError) {
          try entry.configuration.check(directories: false)
        } catch {
          throw ClauseError(error)
        }
        servers.append(entry)
      }
    } catch {
      throw ToolsFileError(translatable("\(path) is damaged: \(error)."))
    }
  }

  /// Changes the user's file. Other commands that change it wait meanwhile.
  ///
  /// - Throws: ``ToolsFileError``, `CancellationError`.
  @GLibActor
  package static func change(_ change: (inout ToolsFile) throws(ToolsFileError) -> Void) async throws {
    let directory = Directories.runtime + "/chappie"
    let lock: FileLock
    do {
      try Files.makeDirectory(directory)
      lock = try await FileLock.take(directory + "/tools.lock", deadline: lockTime)
    } catch let error as FileError {
      throw ToolsFileError(translatable("\(path) cannot be written: \(error)."))
    }
    defer { withExtendedLifetime(lock) {} }
    var file = try read()
    try change(&file)
    try file.write()
  }

  package subscript(name: String) -> ToolServerEntry? { servers.first { $0.configuration.name == name } }

  /// Adds a server, or replaces the one of the same name.
  ///
  /// - Throws: ``ToolsFileError``.
  package mutating func set(_ entry: ToolServerEntry) throws(ToolsFileError) {
    try entry.configuration.check(directories: false)
    let name = entry.configuration.name
    var listed = content[Self.serversName]?.objectValue ?? [:]
    listed[name] = entry.json(over: listed[name] ?? .object([:]))
    guard listed.count <= Self.serverLimit else {
      throw ToolsFileError(translatable("There are \(Self.serverLimit) servers, and there can be no more."))
    }
    content[Self.serversName] = .object(listed)
    servers.removeAll { $0.configuration.name == name }
    servers.append(entry)
    servers.sort { $0.configuration.name < $1.configuration.name }
  }

  /// Removes a server, if there is one of this name.
  package mutating func remove(_ name: String) {
    var listed = content[Self.serversName]?.objectValue ?? [:]
    listed[name] = nil
    content[Self.serversName] = .object(listed)
    servers.removeAll { $0.configuration.name == name }
  }

  /// Writes the file at once, with mode 0600. A symbolic link stays, and its target is replaced.
  ///
  /// - Throws: ``ToolsFileError``.
  package func write() throws(ToolsFileError) {
    let bytes = Array((IndentedJSON.text(of: .object(content)) + "\n").utf8)
    do throws(FileError) {
      guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
      if let slash = path.lastIndex(of: "/") { try Files.makeDirectory(String(path[..<slash])) }
      try Files.create(bytes, at: path, replaces: true)
    } catch {
      throw ToolsFileError(translatable("\(path) cannot be written: \(error)."))
    }
  }
}

/// A clause about a file, such as "it is no JSON".
struct ClauseError: TranslatableError {
  let reason: LocalizedText

  init(_ reason: LocalizedText) {
    self.reason = reason
  }

  /// A sentence as a clause.
  init(_ error: ToolsFileError) {
    let sentence = error.reason.translation
    reason = "\(sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...])"
  }
}
