import GLibBridge
import HTTPTestServer

/// A record of the requests to the stand-in.
@GLibActor
final class RequestRecord {
  private(set) var state = StandInState()

  func count(_ endpoint: StandInEndpoint) {
    state.requests[endpoint.rawValue, default: 0] += 1
  }

  /// Records the names that a request has for its client.
  func noteClient(_ request: HTTPServerRequest, of endpoint: StandInEndpoint) {
    var names: [String: String] = [:]
    names["originator"] = request.headers["originator"]
    names["client_version"] = request.query["client_version"]
    state.clients[endpoint.rawValue] = names
  }

  /// Records a request for an answer.
  ///
  /// - Parameter headers: the header fields of the request, or of the handshake of its WebSocket.
  func noteTurn(_ headers: HTTPHeaders, _ body: [UInt8], over transport: ResponsesRequest.Transport) {
    state.lastResponsesTransport = transport.rawValue
    state.lastResponsesBody = body
    state.lastResponsesHeaders = [:]
    for name in headers.names {
      state.lastResponsesHeaders[name] = name == "authorization" ? "(withheld)" : headers[name]
    }
    if case .http = transport { noteTurnState(sentBack: headers["x-codex-turn-state"]) }
  }

  func noteTurnState(given: String?) {
    if let given { state.turnStateGiven = given }
  }

  func noteTurnState(sentBack: String?) {
    state.turnStateSentBack = sentBack
  }

  /// Counts an answer while it is streamed.
  func streaming<Result>(_ body: () async throws -> Result) async throws -> Result {
    state.openStreams += 1
    defer { state.openStreams -= 1 }
    return try await body()
  }

  /// Counts a WebSocket while it is open.
  func connected(_ body: () async throws -> Void) async throws {
    state.openSockets += 1
    defer { state.openSockets -= 1 }
    try await body()
  }
}
