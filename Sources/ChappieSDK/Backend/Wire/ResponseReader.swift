import GLibBridge

/// Receives the answer to a request piece by piece.
@GLibActor
protocol ResponseReader: AnyObject {
  /// Receives the header fields of the answer.
  func take(_ headers: HTTPHeaders) -> FlowControl
  /// Discards events until the backend announces the start of this answer: the socket has carried earlier answers.
  func expectBeginning()
  /// Receives the data of one event.
  func take(_ data: borrowing Span<UInt8>) -> FlowControl
  /// Counts bytes of the stream, inside and between events.
  ///
  /// - Parameter part: the number of buffered bytes of an incomplete event.
  func count(_ bytes: Int, part: Int) -> FlowControl
  /// The answer, after the end of its stream.
  ///
  /// - Throws: ``ExchangeFailure``.
  func answer() throws -> BackendAnswer
}

/// The backend's answer to one request, without the text.
struct BackendAnswer {
  /// The model's output items, in order and unchanged.
  let items: [ChappieJSONValue]
  /// Whether the model refuses to answer.
  let isRefusal: Bool
  let responseID: String
  let usage: ChappieTokenUsage
}
