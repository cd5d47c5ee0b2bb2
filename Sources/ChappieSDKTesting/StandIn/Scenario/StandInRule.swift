import ChappieSDK
import GLibBridge
import HTTPTestServer

/// One rule of a scenario: what happens to the next requests of one endpoint.
struct StandInRule: Sendable {
  enum Times: Sendable {
    case count(Int)
    case always
  }

  enum Action: Sendable {
    /// No answer until the client leaves.
    case hang
    /// An answer of the rule's own.
    case answer(HTTPServerResponse)
    /// A body of the rule's own, after which the connection may be cut.
    case raw(HTTPServerResponse, cuts: Bool)
    /// More than a client should take.
    case flood(Flood)
    /// The normal answer, changed.
    case change(Change)
  }

  /// What is different from the normal answer.
  struct Change: Sendable {
    static let none = Change()

    var headers: [(name: String, value: String)] = []
    var text: String?
    var toolCalls: [ToolCall]?
    var events: [ChappieJSONValue]?
    var deltaDelay: Duration?
    /// Refuses the plain form of a request to a model that asks for the lite one.
    var requiresLite = false
    var ending = EventPlayer.Ending.complete
    /// What comes over the WebSocket when the answer has ended, and how long after its end.
    var late: [ChappieJSONValue] = []
    var lateDelay = Duration.zero
  }

  let endpoint: StandInEndpoint
  var times: Times
  let delay: Duration
  let action: Action

  var change: Change? {
    if case .change(let change) = action { change } else { nil }
  }

  /// Whether the rule answers with a status of its own, whatever the request is.
  var hasOwnStatus: Bool {
    if case .answer = action { true } else { false }
  }

  /// Waits as long as the answer shall be late.
  @GLibActor
  func waitForDelay() async throws {
    if delay > .zero { try await sleep(for: delay) }
  }

  /// Never answers.
  @GLibActor
  func hang() async throws -> Never {
    while true { try await sleep(for: .seconds(3600)) }
  }

  /// What the rule answers instead of the normal answer, after its delay; nil when it only changes that.
  @GLibActor
  func replacement() async throws -> HTTPServerAnswer? {
    switch action {
    case .change:
      return nil
    case .hang:
      try await hang()
    case .answer(let response):
      try await waitForDelay()
      return .whole(response)
    case .raw(let response, let cuts):
      try await waitForDelay()
      return .stream(response.head) { stream in
        try await stream.write(response.body)
        if cuts { stream.abort() }
      }
    case .flood(let flood):
      try await waitForDelay()
      return .stream(HTTPServerResponse.Head(status: 200, headers: [("content-type", "text/event-stream")])) { stream in
        try await flood.play { try await stream.write($0.frame) }
      }
    }
  }
}
