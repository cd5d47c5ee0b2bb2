// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer
import Platform

/// `POST /backend-api/codex/responses`
extension BackendState {
  /// Answers a request. Rules with a `status` apply before all checks, all other rules after them.
  func respond(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    let content = Result { () throws(HTTPServerResponse) in try request.content(zstd: configuration.allowsCompression) }
    record.noteTurn(request.headers, (try? content.get()) ?? request.body, over: .http)
    if let answer = try await scenario.take(.responses, where: \.hasOwnStatus)?.replacement() { return answer }
    let user = try user(of: request.headers)
    let accepted = try ResponsesRequest(
      checking: ChappieJSONValue(body: content.get()), request.headers, over: .http, models: models)
    try usage.checkLimit(user)
    let rule = scenario.take(.responses)
    if let answer = try await rule?.replacement() { return answer }
    try accepted.checkForm(rule?.change)
    let head = head(for: request, rule?.change?.headers ?? [])
    return stream(ResponsesAnswer(to: accepted, rule?.change), rule?.change, head)
  }

  private func head(
    for request: HTTPServerRequest, _ more: [(name: String, value: String)]
  ) -> HTTPServerResponse.Head {
    var fields: [(name: String, value: String)] = [
      ("content-type", "text/event-stream"), ("cache-control", "no-cache"),
      ("x-request-id", "req_" + RandomText.hex(bytes: 16)), ("x-models-etag", models.etag),
    ]
    if request.headers["x-codex-turn-state"] == nil { fields.append(("x-codex-turn-state", Self.makeTurnState())) }
    usage.grow()
    fields += usage.headers + more
    record.noteTurnState(given: fields.last { $0.name.lowercased() == "x-codex-turn-state" }?.value)
    return HTTPServerResponse.Head(status: 200, headers: fields)
  }

  /// Streams an answer as server-sent events.
  func stream(
    _ answer: ResponsesAnswer, _ change: StandInRule.Change?, _ head: HTTPServerResponse.Head
  ) -> HTTPServerAnswer {
    let player = player(change)
    return .stream(head) { stream in
      try await self.record.streaming {
        let ending = try await player.play(answer) { try await stream.write(Self.frame($0)) }
        if case .dropAfter = ending { stream.abort() }
      }
    }
  }

  /// An event, framed as a server-sent event.
  private nonisolated static func frame(_ event: ChappieJSONValue) -> [UInt8] {
    let type = event["type"]?.stringValue.map { "event: \($0)\n" } ?? ""
    return Array("\(type)data: ".utf8) + event.encoded + Array("\n\n".utf8)
  }
}

extension HTTPServerRequest {
  /// The longest body of a request for an answer, in bytes, compressed or not.
  private static let contentLimit = 16 << 20

  /// The body of a request for an answer, decoded.
  ///
  /// - Parameter zstd: whether a compressed body is accepted.
  func content(zstd: Bool) throws(HTTPServerResponse) -> [UInt8] {
    let tooLong = HTTPServerResponse.detail("The request body is too long", status: 413)
    guard body.count <= Self.contentLimit else { throw tooLong }
    switch headers["content-encoding"]?.lowercased() {
    case nil, "identity": return body
    case "zstd" where zstd:
      do throws(Zstandard.DecodingError) {
        return try Zstandard.decode(body, limit: Self.contentLimit)
      } catch {
        throw error == .tooLong ? tooLong : .detail("The request body is not zstd")
      }
    case .some(let coding): throw .detail("Unsupported content encoding: \(coding)", status: 415)
    }
  }
}
