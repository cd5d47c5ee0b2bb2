import GLibBridge

/// Hands on the events of a `text/event-stream`, and lets the main loop serve others between many of them.
@GLibActor
final class EventFeed {
  private var parser: ServerSentEventParser
  private let taker: @GLibActor (borrowing Span<UInt8>) -> HTTPResponse.Verdict
  /// Whether the stream was given up because of an event that is too long.
  private(set) var isEndless = false

  /// The bytes of the event that is being read.
  var bufferedBytes: Int { parser.bufferedBytes }

  /// - Parameter limit: the most bytes that one event may have.
  init(
    limit: Int = ServerSentEventParser.defaultLimit,
    _ taker: @escaping @GLibActor (borrowing Span<UInt8>) -> HTTPResponse.Verdict
  ) {
    parser = ServerSentEventParser(limit: limit)
    self.taker = taker
  }

  /// Takes the next bytes of the stream.
  func take(_ chunk: ArraySlice<UInt8>) -> HTTPResponse.Verdict {
    var verdict = HTTPResponse.Verdict.more
    var slice = LoopSlice()
    do {
      let wantsMore = try parser.parse(chunk) { data in
        switch taker(data) {
        case .more: return !slice.isOver()
        case .pause(let task):
          // It concerns the sender: what is here already may be handed on.
          verdict = .pause(until: task)
          return !slice.isOver()
        case let last:
          verdict = last
          return false
        }
      }
      if wantsMore { return verdict }
    } catch {
      isEndless = true
      return .stop
    }
    if case .stop = verdict { return .stop }
    return .later(Task.onGLib { [verdict] in await verdict.wantsMore() ? self.take([]) : .stop })
  }
}
