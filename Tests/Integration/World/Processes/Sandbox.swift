// SPDX-License-Identifier: Apache-2.0

/// The stand-in backend, as a process with an HTTP interface.
@GLibActor
final class Sandbox {
  /// The stand-in's report of its own state.
  struct State: Decodable {
    struct Request: Decodable {
      struct Body: Decodable {
        /// A message, a call of a tool, or a tool's output.
        struct Item: Decodable {
          struct Content: Decodable {
            let text: String?
            let imageUrl: String?
            let filename: String?
          }

          let type: String?
          let role: String?
          let content: [Content]?
          let callId: String?
          let output: String?
          /// The tools that an item declares.
          let tools: [Tool]?
        }

        struct Tool: Decodable {
          let name: String
        }

        struct Reasoning: Decodable {
          let effort: String?
          let context: String?
        }

        private enum CodingKeys: String, CodingKey {
          case model, plainInstructions = "instructions", items = "input", reasoning, previousResponseId
          case plainTools = "tools", parallelToolCalls, clientMetadata
        }

        let model: String
        let plainInstructions: String?
        /// The whole input, in the lite form with the items before the conversation.
        let items: [Item]
        let reasoning: Reasoning?
        let previousResponseId: String?
        let plainTools: [Tool]?
        let parallelToolCalls: Bool?
        let clientMetadata: [String: String]?

        /// Whether tools and instructions are the first items of the input.
        var isLite: Bool { reasoning?.context == "all_turns" }

        /// The conversation.
        var input: [Item] { Array(items.dropFirst(headCount)) }

        /// The instructions, in either form.
        var instructions: String {
          plainInstructions ?? items.prefix(headCount).last?.content?.compactMap(\.text).joined() ?? ""
        }

        /// The declared tools, in either form.
        var tools: [Tool]? { plainTools ?? items.first?.tools }

        private var headCount: Int {
          // A request that continues an earlier answer has none.
          guard isLite, previousResponseId == nil else { return 0 }
          return items.first?.type == "additional_tools" ? 2 : 1
        }
      }

      let transport: String?

      let headers: [String: String]
      let body: Body?
    }

    /// An application that a user has connected in the browser.
    struct Registration: Decodable {
      let clientId: String
      let name: String
      let user: String
      let hosts: [String]
      let planUse: Bool
    }

    struct TurnState: Decodable {
      let given: String?
      let sentBack: String?
    }

    fileprivate(set) var requests: [String: Int]
    let clients: [String: [String: String]]
    let lastResponsesRequest: Request
    let turnState: TurnState
    let liveRefreshTokens: Int
    let revokedRefreshTokens: Int
    let registrations: [Registration]
    let openStreams: Int
    let openSockets: Int

    /// The messages of the last request, as `role: text`.
    var lastInput: [String] {
      lastItems.compactMap { item in
        item.role.map { "\($0): \((item.content ?? []).compactMap(\.text).joined())" }
      }
    }

    /// The tools' outputs in the last request, in order.
    var lastOutputs: [String] { lastItems.compactMap(\.output) }

    /// The addresses of the images in the last request.
    var lastImages: [String] { lastItems.flatMap { $0.content ?? [] }.compactMap(\.imageUrl) }

    /// The names of the files in the last request.
    var lastFiles: [String] { lastItems.flatMap { $0.content ?? [] }.compactMap(\.filename) }

    /// The tools that the last request declares.
    var lastTools: [String] { (lastResponsesRequest.body?.tools ?? []).map(\.name) }

    private var lastItems: [Request.Body.Item] { lastResponsesRequest.body?.input ?? [] }
  }

  private static let http = HTTPSession()

  private let directories: WorldDirectories
  private let arguments: [String]
  private var process: ChildProcess?
  /// The requests that do not count any more.
  private var forgotten: [String: Int] = [:]
  private(set) var issuer = ""

  init(_ directories: WorldDirectories, _ arguments: [String]) {
    self.directories = directories
    self.arguments = arguments
  }

  /// The arguments that make the service use this stand-in.
  var addresses: [String] { ["--issuer", issuer, "--backend", backend] }
  var backend: String { issuer + "/backend-api" }
  /// The port that it listens on.
  var port: Int { URL(string: issuer)?.port ?? 0 }
  /// Its process; nil where it does not run.
  var id: pid_t? { process?.id }
  var page: String { issuer + "/codex/device" }

  func start() async throws {
    let process = try ChildProcess(
      "sandbox", Binaries.sandbox, ["--port", "0", "--verbose"] + arguments, in: directories)
    self.process = process
    forgotten = [:]
    try await eventually("the stand-in's address") { process.output.contains("page http") || process.end != nil }
    let lines = process.output.split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("issuer ") }) else {
      throw UnmetCondition("the stand-in's address; it wrote \(process.output)")
    }
    issuer = String(line.dropFirst("issuer ".count))
  }

  /// Ends the process: its port refuses connections from now on.
  func end() async {
    await process?.terminate()
    process = nil
  }

  // MARK: Control

  func state() async throws -> State {
    let answer = try await request(.get, "\(issuer)/sandbox/state")
    var state = try State(snakeCase: String(decoding: answer, as: UTF8.self))
    state.requests.merge(forgotten, uniquingKeysWith: -)
    return state
  }

  /// Ends the scenario, closes all WebSockets, and counts the requests from here on.
  func forget() async throws {
    try await play("[]")
    var last: [String: Int]?
    // A request of the case before may come late.
    try await eventually("no new request") {
      try await closeSockets()
      forgotten = [:]
      forgotten = try await state().requests
      defer { last = forgotten }
      return last == forgotten
    }
  }

  /// Replaces the scenario: a JSON list of rules.
  func play(_ scenario: String) async throws {
    try await request(.post, "\(issuer)/sandbox/scenario", scenario)
  }

  /// Lets go on what rules with `hold`, `hold_after` or `hold_late` hold.
  func release() async throws {
    try await request(.post, "\(issuer)/sandbox/release")
  }

  /// Answers each question from now on with this text.
  ///
  /// - Parameter more: members of the rule beside the text.
  func say(_ text: String, _ more: String = "") async throws {
    try await play(#"[{"endpoint":"responses","times":"always","text":\#(json(text))\#(more)}]"#)
  }

  /// Makes the backend answer 401 to all access tokens issued so far.
  func expireAccessTokens() async throws {
    try await request(.post, "\(issuer)/sandbox/expire-access-tokens")
  }

  /// Closes all WebSockets, so that the next turn needs a handshake.
  func closeSockets() async throws {
    try await eventually("no socket") {
      // A turn that ended early may have asked for one that opens only now.
      try await request(.post, "\(issuer)/sandbox/close-sockets")
      return try await state().openSockets == 0
    }
  }

  func revokeRefreshTokens() async throws {
    try await request(.post, "\(issuer)/sandbox/revoke-refresh-tokens")
  }

  /// Sends the request of a browser when a person fills in the page's form.
  func decide(_ decision: String, _ userCode: String, as user: String = "ada@example.com") async throws {
    let form = "user_code=\(userCode)&user=\(user.replacing("@", with: "%40"))&decision=\(decision)"
    try await request(.post, page, form)
  }

  /// The body of an answer, which must be a success. The request's body is JSON or a form.
  @discardableResult
  func request(_ method: HTTPRequest.Method, _ url: String, _ body: String = "") async throws -> Data {
    var request = HTTPRequest(method, url)
    if method == .post { request.body = .bytes(Array(body.utf8)) }
    let isJSON = body.hasPrefix("[") || body.hasPrefix("{")
    if !body.isEmpty { request.contentType = isJSON ? "application/json" : "application/x-www-form-urlencoded" }
    let answer = try await Self.http.send(request, deadline: patience)
    let bytes = try await answer.bytes(limit: 64 << 20, deadline: patience)
    guard answer.status == 200 else {
      throw UnmetCondition("a success of \(url): \(answer.status), \(String(decoding: bytes, as: UTF8.self))")
    }
    return Data(bytes)
  }
}
