// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Platform

/// A server in ``ToolsFile``, with what the user allows it.
package struct ToolServerEntry: Sendable, Hashable {
  package var configuration: ChappieMCPConfiguration
  package var isEnabled = true
  /// For tools without a policy of their own. With `automatic` the user trusts the server, and the annotations of its
  /// tools decide.
  package var policy = ChappieToolPolicy.ask
  /// By the names of tools.
  package var toolPolicies: [String: ChappieToolPolicy] = [:]

  package init(_ configuration: ChappieMCPConfiguration) {
    self.configuration = configuration
  }

  // MARK: Reading

  /// Reads an element of `mcpServers`. What it does not know is ignored, and only the form of what it knows is checked.
  init(name: String, _ json: ChappieJSONValue) throws(ClauseError) {
    let fields = Fields(json, of: name)
    guard ChappieMCPConfiguration.isName(name) else {
      throw ClauseError(
        translatable("“\(name.prefix(64).description.terminalSafeLine)” is no name of a server"))
    }
    guard json.objectValue != nil else { throw fields.wrong("", translatable("an object")) }
    try fields.refuseHTTP()
    let command = try fields.value("command", translatable("a text that is not empty")) {
      $0.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let command else { throw ClauseError(translatable("“\(name)” has no 'command'")) }
    configuration = ChappieMCPConfiguration(
      name: name, command: [command] + (try fields.texts("args") ?? []),
      environment: try fields.value("env", translatable("an object of texts"), Self.texts) ?? [:],
      directory: try fields.value("cwd", translatable("an absolute path")) {
        $0.stringValue.flatMap { $0.hasPrefix("/") ? $0 : nil }
      })
    let rights = try fields.value("chappie", translatable("an object")) { $0.objectValue.map(ChappieJSONValue.object) }
    try readRights(Fields(rights ?? .object([:]), of: name, "chappie."))
    do throws(ToolsFileError) {
      for text in configuration.command + configuration.environment.values { _ = try Variables.parts(of: text) }
    } catch {
      throw ClauseError(translatable("of “\(name)”: \(ClauseError(error))"))
    }
  }

  private mutating func readRights(_ fields: Fields) throws(ClauseError) {
    isEnabled = try !(fields.flag("disabled") ?? false)
    policy = try fields.value("policy", translatable("automatic, ask or deny"), Self.policy) ?? policy
    let tools = try fields.value("tools", translatable("an object of policies")) { value in
      value.objectValue.flatMap { tools in
        let known = tools.compactMapValues(Self.policy)
        return known.count == tools.count ? known : nil
      }
    }
    toolPolicies = tools ?? [:]
    let directories = try fields.texts("directories") ?? []
    // Relative paths would be other ones for each program that reads the file.
    guard directories.allSatisfy({ $0.hasPrefix("/") || $0.hasPrefix("~/") }) else {
      throw fields.wrong("directories", translatable("a list of absolute paths"))
    }
    configuration.box =
      try fields.flag("unboxed") ?? false
      ? .unboxed
      : .boxed(network: try fields.flag("network") ?? false, directories: directories.map { .init(argument: $0) })
    if let time = try fields.seconds("timeout") { configuration.callTimeout = .seconds(time) }
    if let time = try fields.seconds("startTimeout") { configuration.startTimeout = .seconds(time) }
  }

  private static func policy(_ value: ChappieJSONValue) -> ChappieToolPolicy? {
    value.stringValue.flatMap(ChappieToolPolicy.init(rawValue:))
  }

  static func texts(_ value: ChappieJSONValue) -> [String: String]? {
    let texts = value.objectValue?.compactMapValues(\.stringValue)
    return texts?.count == value.objectValue?.count ? texts : nil
  }

  // MARK: Writing

  /// The element of `mcpServers`. Members of `old` that this version does not know stay.
  func json(over old: ChappieJSONValue) -> ChappieJSONValue {
    var members = old.objectValue ?? [:]
    let environment = configuration.environment.mapValues(ChappieJSONValue.string)
    members["command"] = .string(configuration.command.first ?? "")
    members["args"] = .array(configuration.command.dropFirst().map(ChappieJSONValue.string))
    members["env"] = environment.isEmpty ? nil : .object(environment)
    members["cwd"] = configuration.directory.map(ChappieJSONValue.string)
    members["chappie"] = rights(over: old["chappie"]?.objectValue ?? [:])
    return .object(members)
  }

  private func rights(over old: [String: ChappieJSONValue]) -> ChappieJSONValue {
    var members = old
    let standard = ChappieMCPConfiguration(name: "", command: [])
    switch configuration.box {
    case .boxed(let network, let directories):
      members["unboxed"] = nil
      members["network"] = .bool(network)
      members["directories"] = .array(directories.map { .string($0.argument) })
    case .unboxed:
      members["unboxed"] = true
      members["network"] = nil
      members["directories"] = nil
    }
    members["policy"] = .string(policy.rawValue)
    members["tools"] = toolPolicies.isEmpty ? nil : .object(toolPolicies.mapValues { .string($0.rawValue) })
    members["timeout"] = Self.seconds(configuration.callTimeout, unless: standard.callTimeout)
    members["startTimeout"] = Self.seconds(configuration.startTimeout, unless: standard.startTimeout)
    members["disabled"] = isEnabled ? nil : true
    return .object(members)
  }

  private static func seconds(_ time: Duration, unless standard: Duration) -> ChappieJSONValue? {
    time == standard ? nil : .integer(time.components.seconds)
  }
}

/// The members of a server in a file.
struct Fields {
  private let json: ChappieJSONValue
  private let server: String
  private let prefix: String

  init(_ json: ChappieJSONValue, of server: String, _ prefix: String = "") {
    self.json = json
    self.server = server
    self.prefix = prefix
  }

  func wrong(_ name: String, _ form: LocalizedText) -> ClauseError {
    let path = prefix + name
    return path.isEmpty
      ? ClauseError(translatable("“\(server)” must be \(form.translation)"))
      : ClauseError(translatable("'\(path)' of “\(server)” must be \(form.translation)"))
  }

  /// - Parameter form: the form that the member must have, for the error.
  func value<Value>(
    _ name: String, _ form: LocalizedText, _ read: (ChappieJSONValue) -> Value?
  ) throws(ClauseError) -> Value? {
    guard let member = json[name], !member.isNull else { return nil }
    guard let value = read(member) else { throw wrong(name, form) }
    return value
  }

  func text(_ name: String) throws(ClauseError) -> String? {
    try value(name, translatable("a text"), \.stringValue)
  }

  func flag(_ name: String) throws(ClauseError) -> Bool? {
    try value(name, translatable("true or false"), \.boolValue)
  }

  func texts(_ name: String) throws(ClauseError) -> [String]? {
    try value(name, translatable("a list of texts")) {
      let texts = $0.arrayValue?.compactMap(\.stringValue)
      return texts?.count == $0.arrayValue?.count ? texts : nil
    }
  }

  func seconds(_ name: String) throws(ClauseError) -> Int? {
    let range = ChappieMCPConfiguration.timeouts
    return try value(name, translatable("a number of seconds from \(range.lowerBound) to \(range.upperBound)")) {
      $0.number(in: range)
    }
  }

  /// Refuses a server that is reached over HTTP.
  func refuseHTTP() throws(ClauseError) {
    let type = try text("type") ?? "stdio"
    guard try text("url") != nil || !["stdio", "local"].contains(type) else {
      return
    }
    throw ClauseError(
      translatable("“\(server)” is reached over HTTP, and only servers that are programs can be used"))
  }
}
