import GLibBridge

/// Hands on the events of a `text/event-stream`, and lets the main loop do other work after many of them.
@GLibActor
final class EventFeed {
  private var parser: ServerSentEventParser
  private let taker: @GLibActor (borrowing Span<UInt8>) -> FlowControl
  /// Whether an event exceeded the limit and ended the stream.
  private(set) var isEndless = false

  /// The buffered bytes of an incomplete event.
  var bufferedBytes: Int { parser.bufferedBytes }

  /// - Parameter limit: the most bytes that one event may have.
  init(
    limit: Int = ServerSentEventParser.defaultLimit,
    _ taker: @escaping @GLibActor (borrowing Span<UInt8>) -> FlowControl
  ) {
    parser = ServerSentEventParser(limit: limit)
    self.taker = taker
  }

  /// Takes the next bytes of the stream.
  func take(_ chunk: borrowing Span<UInt8>) -> FlowControl {
    var flow = FlowControl.proceed
    var slice = TimeSlice()
    do {
      let wantsMore = try parser.parse(chunk) { data in
        let next = taker(data)
        flow = flow.combined(with: next)
        return switch next {
        // A pause concerns the sender. Events that are here already may be handed on.
        case .proceed, .pause: !slice.isOver()
        case .decide, .stop: false
        }
      }
      if wantsMore { return flow }
    } catch {
      isEndless = true
      return .stop
    }
    if case .stop = flow { return .stop }
    return .decide(Task.onGLib { [flow] in await flow.goesOn() ? self.take(Span()) : .stop })
  }
}
