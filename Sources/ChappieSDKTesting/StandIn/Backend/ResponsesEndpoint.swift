import ChappieSDK
import GLibBridge
import HTTPTestServer
import Platform

/// `POST /backend-api/codex/responses`
extension BackendState {
  /// Answers a request. Rules with a `status` apply before all checks, all other rules after them.
  func respond(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    let content = RequestContent(request, zstd: configuration.allowsCompression)
    record.noteTurn(request.headers, content.bytes ?? request.body, over: .http)
    if let answer = try await scenario.take(.responses, where: \.hasOwnStatus)?.replacement() { return answer }
    guard let user = user(of: request.headers) else { return .whole(Self.unauthorized) }
    let accepted: ResponsesRequest
    switch content {
    case .refused(let refusal): return .whole(refusal)
    case .decoded(let body):
      do throws(InvalidRequest) {
        accepted = try ResponsesRequest(
          checking: ChappieJSONValue(body: body), request.headers, over: .http, models: models)
      } catch {
        return .whole(.detail(error.detail))
      }
    }
    if let refusal = usage.refusal(user) { return .whole(refusal) }
    let rule = scenario.take(.responses)
    if let answer = try await rule?.replacement() { return answer }
    if let refusal = accepted.refusal(rule?.change) { return .whole(refusal) }
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

/// The body of a request, or the refusal of one that cannot be read.
enum RequestContent {
  case decoded([UInt8])
  case refused(HTTPServerResponse)

  /// The longest accepted body after decoding, in bytes.
  private static let limit = 16 << 20

  /// - Parameter zstd: whether a compressed body is accepted.
  init(_ request: HTTPServerRequest, zstd: Bool) {
    switch request.headers["content-encoding"]?.lowercased() {
    case nil, "identity": self = .decoded(request.body)
    case "zstd" where zstd:
      do throws(Zstandard.DecodingError) {
        self = .decoded(try Zstandard.decode(request.body, limit: Self.limit))
      } catch {
        switch error {
        case .malformed: self = .refused(.detail("The request body is not zstd"))
        case .tooLong: self = .refused(.detail("The request body is too long", status: 413))
        }
      }
    case .some(let coding): self = .refused(.detail("Unsupported content encoding: \(coding)", status: 415))
    }
  }

  var bytes: [UInt8]? {
    if case .decoded(let bytes) = self { bytes } else { nil }
  }
}
