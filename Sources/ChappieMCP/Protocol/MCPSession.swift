// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The protocol with a running server, in the revision that it speaks.
@GLibActor
final class MCPSession {
  /// The revision in which each request stands alone. Those before it begin with a handshake.
  nonisolated static let modernRevision = "2026-07-28"

  /// The revisions with a handshake that a server may choose.
  private static let legacyRevisions: Set<String> = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
  /// The longest wait for the answer of a server that may not know the question.
  private static let discoveryTime = Duration.seconds(5)
  private static let listTime = Duration.seconds(30)
  private static let pageLimit = 100
  private static let toolLimit = 1000
  /// The most bytes of all pages.
  private static let listLimit = 8 << 20
  /// The most questions to the user from one call to the next.
  private static let questionLimit = 8

  let connection: MCPConnection
  private var revision = ""
  private var information: ChappieJSONValue = .null
  private var instructions: String?
  /// A server that is not called has nothing to ask.
  private var questionsLeft = 0
  /// Called when the server says that its tools have changed.
  var onChange: @GLibActor () -> Void = {}
  /// Asks the user what the server wants to know.
  var ask: @GLibActor (MCPQuestion) async -> MCPAnswer = { _ in .cancel }

  init(_ connection: MCPConnection) {
    self.connection = connection
    connection.onNotification = { [weak self] method, _ in
      if method == "notifications/tools/list_changed" { self?.onChange() }
    }
    connection.onRequest = { [weak self] method, params in
      method == "elicitation/create" ? await self?.answer(params) : nil
    }
  }

  /// Answers a question of the server.
  private func answer(_ params: ChappieJSONValue) async -> ChappieJSONValue {
    guard questionsLeft > 0 else { return ["action": "cancel"] }
    questionsLeft -= 1
    return await MCPQuestion.answer(params, by: ask)
  }

  // MARK: The beginning

  /// Finds out which revision the server speaks, and begins.
  ///
  /// - Throws: ``ChappieMCPError``, `CancellationError`.
  func begin(within limit: Duration, legacy isLegacy: Bool) async throws {
    let end = ContinuousClock.now + limit
    if !isLegacy, try await discover(within: min(Self.discoveryTime, limit)) { return }
    do {
      try await initialize(within: end - .now)
    } catch ChappieMCPError.refused(code: -32022, _) {
      // It was not ready for the first question.
      guard try await discover(within: end - .now) else {
        throw ChappieMCPError.unusable("it speaks no revision of the protocol that this client knows")
      }
    }
  }

  /// - Returns: whether the server speaks the modern revision.
  private func discover(within limit: Duration) async throws -> Bool {
    do {
      let result = try await connection.request("server/discover", modern([:]), deadline: limit)
      let versions = (result["supportedVersions"]?.arrayValue ?? []).compactMap(\.stringValue)
      guard versions.contains(Self.modernRevision) else { return false }
      revision = Self.modernRevision
      information = result["_meta"]?["io.modelcontextprotocol/serverInfo"] ?? result["serverInfo"] ?? .null
      instructions = result["instructions"]?.stringValue
      if result["capabilities"]?["tools"]?["listChanged"] == true { subscribe() }
      return true
    } catch ChappieMCPError.ended(let reason) {
      throw ChappieMCPError.ended(reason)
    } catch is ChappieMCPError {
      // Any other answer, or none, is that of a server with the handshake.
      return false
    }
  }

  /// Asks to be told of changes. The request stays open until the server ends.
  private func subscribe() {
    let params = modern(["notifications": ["toolsListChanged": true]])
    Task.onGLib { [connection] in
      _ = try? await connection.request(
        "subscriptions/listen", params, deadline: .seconds(7 * 86_400), cap: .seconds(7 * 86_400))
    }
  }

  private func initialize(within limit: Duration) async throws {
    let result = try await connection.request(
      "initialize",
      [
        "protocolVersion": "2025-11-25", "capabilities": Self.capabilities,
        "clientInfo": Self.clientInformation,
      ], deadline: max(limit, .seconds(1)))
    let version = result["protocolVersion"]?.stringValue ?? ""
    guard Self.legacyRevisions.contains(version) else {
      throw ChappieMCPError.unusable("it speaks the revision '\(ForeignText.line(version))' of the protocol")
    }
    revision = version
    information = result["serverInfo"] ?? .null
    instructions = result["instructions"]?.stringValue
    connection.notify("notifications/initialized")
  }

  private static let capabilities: ChappieJSONValue = ["elicitation": ["form": [:], "url": [:]]]
  private static let clientInformation: ChappieJSONValue = [
    "name": "chappie", "version": .string(ChappieVersion.current),
  ]

  /// The parameters of a request in the modern revision.
  private func modern(_ params: [String: ChappieJSONValue]) -> [String: ChappieJSONValue] {
    var params = params
    params["_meta"] = [
      "io.modelcontextprotocol/protocolVersion": .string(Self.modernRevision),
      "io.modelcontextprotocol/clientCapabilities": Self.capabilities,
      "io.modelcontextprotocol/clientInfo": Self.clientInformation,
    ]
    return params
  }

  private func params(_ params: [String: ChappieJSONValue]) -> [String: ChappieJSONValue] {
    revision == Self.modernRevision ? modern(params) : params
  }

  // MARK: Tools

  /// Lists the server's tools.
  ///
  /// - Throws: ``ChappieMCPError``, `CancellationError`.
  func listing() async throws -> MCPListing {
    var tools: [MCPTool] = []
    var cursor: String?
    var size = instructions?.utf8.count ?? 0
    for _ in 0..<Self.pageLimit {
      let result = try await connection.request(
        "tools/list", params(cursor.map { ["cursor": .string($0)] } ?? [:]), deadline: Self.listTime)
      guard let page = result["tools"]?.arrayValue else { throw ChappieMCPError.unusable("it lists no tools") }
      guard tools.count + page.count <= Self.toolLimit else {
        throw ChappieMCPError.unusable("it has more than \(Self.toolLimit) tools")
      }
      size += page.reduce(0) { $0 + $1.encoded.count }
      guard size <= Self.listLimit else {
        throw ChappieMCPError.unusable("its list of tools has more than \(Self.listLimit >> 20) MiB")
      }
      tools += try page.map(MCPTool.init)
      cursor = result["nextCursor"]?.stringValue
      if cursor == nil { break }
    }
    guard cursor == nil else { throw ChappieMCPError.unusable("its list of tools has no end") }
    guard Set(tools.map(\.name)).count == tools.count else {
      throw ChappieMCPError.unusable("two of its tools have the same name")
    }
    return MCPListing(
      serverName: ForeignText.line(information["name"]?.stringValue ?? ""),
      serverVersion: ForeignText.line(information["version"]?.stringValue ?? ""), revision: revision,
      instructions: instructions, tools: tools)
  }

  /// Calls a tool. What it asks is answered by ``ask``.
  ///
  /// - Parameter deadline: the longest wait without progress.
  /// - Throws: ``ChappieMCPError``, `CancellationError`.
  func call(
    _ tool: String, _ arguments: ChappieJSONValue, deadline: Duration,
    progress: @escaping @GLibActor (MCPConnection.Progress) -> Void
  ) async throws -> MCPOutput {
    var call: [String: ChappieJSONValue] = ["name": .string(tool), "arguments": arguments]
    questionsLeft = Self.questionLimit
    for _ in 0...Self.questionLimit {
      let result = try await connection.request(
        "tools/call", params(call), deadline: deadline, cap: deadline * 10, progress: progress)
      switch result["resultType"]?.stringValue ?? "complete" {
      case "complete": return MCPOutput(result)
      case "input_required":
        call["requestState"] = result["requestState"]
        var responses: [String: ChappieJSONValue] = [:]
        for (key, request) in (result["inputRequests"]?.objectValue ?? [:]).sorted(by: { $0.key < $1.key }) {
          guard request["method"] == "elicitation/create" else {
            throw ChappieMCPError.unusable("it asks for what this client does not give")
          }
          responses[key] = await answer(request["params"] ?? .null)
        }
        call["inputResponses"] = .object(responses)
      default: throw ChappieMCPError.unusable("its result is of an unknown kind")
      }
      try Task.checkCancellation()
    }
    throw ChappieMCPError.unusable("it asks again and again")
  }
}
