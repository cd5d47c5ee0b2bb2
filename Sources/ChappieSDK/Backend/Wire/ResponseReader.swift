import GLibBridge

/// Takes an answer as it comes off an exchange.
@GLibActor
protocol ResponseReader: AnyObject {
  /// Takes the header fields of the answer.
  func take(_ headers: HTTPHeaders) -> FlowControl
  /// Earlier answers came the same way: nothing counts before the backend says that this one begins.
  func expectBeginning()
  /// Takes the data of one event.
  func take(_ data: borrowing Span<UInt8>) -> FlowControl
  /// Counts the next bytes of the stream, of events or between them.
  ///
  /// - Parameter part: how many bytes of an event that is not complete are kept.
  func count(_ bytes: Int, part: Int) -> FlowControl
  /// The answer, once its stream has ended.
  ///
  /// - Throws: ``ExchangeFailure``.
  func answer() throws -> BackendAnswer
}

/// What the backend answered to one request, beside the text.
struct BackendAnswer {
  /// What the model made, in order, as it came.
  let items: [ChappieJSONValue]
  /// Whether the model says in it that it does not answer.
  let isRefusal: Bool
  let responseID: String
  let usage: ChappieTokenUsage
}
