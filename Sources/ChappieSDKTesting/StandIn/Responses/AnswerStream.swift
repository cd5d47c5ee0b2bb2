import ChappieSDK
import GLibBridge
import HTTPTestServer

extension BackendState {
  /// Streams an answer as server-sent events.
  ///
  /// - Parameter changed: changes an event before it is sent.
  func stream(
    _ answer: ResponsesAnswer, _ change: StandInRule.Change?, _ head: HTTPServerResponse.Head,
    _ changed: @escaping @Sendable (ChappieJSONValue) -> ChappieJSONValue = { $0 }
  ) -> HTTPServerAnswer {
    let player = player(change)
    return .stream(head) { stream in
      try await self.record.streaming {
        let events = AnswerEvents(answer, change)
        let outcome = try await player.play(events.count, event: { changed(events.event(at: $0)) }) { event in
          try await stream.write(Self.frame(event))
        }
        if case .dropped = outcome { stream.abort() }
      }
    }
  }

  /// An event, framed as a server-sent event.
  private nonisolated static func frame(_ event: ChappieJSONValue) -> [UInt8] {
    var frame: [UInt8] = []
    if let type = event["type"]?.stringValue { frame += "event: \(type)\n".utf8 }
    frame += "data: ".utf8
    frame += event.encoded
    frame += "\n\n".utf8
    return frame
  }
}
