// SPDX-License-Identifier: Apache-2.0
#if FoundationTypes
  import FoundationEssentials
#endif

extension ChappieClient {
  /// Sends a user message, and returns the answer as a value of a type. The message and the answer are appended to the
  /// transcript, also if the answer is no such value.
  ///
  /// The model is asked for JSON of the type's schema, which ``ChappieSchema/of(_:)`` derives. For a type without one,
  /// set `outputSchema` of the options.
  ///
  /// - Parameters:
  ///   - text: the message, which must not be empty.
  ///   - type: a type that is an object in JSON.
  ///   - options: the options of the turn.
  /// - Throws: ``ChappieSchemaError`` before anything is sent, ``ChappieTypedAnswerError`` for an answer that is no such
  ///   value, ``ChappieClientError``, also for an answer that was cut off by its length, `CancellationError`.
  public func respond<Value: Decodable & Sendable>(
    to text: String, generating type: Value.Type = Value.self,
    options: ChappieMessageOptions = ChappieMessageOptions()
  ) async throws -> Value {
    try await respond(to: ChappieInputMessage(role: .user, text: text, options: options), generating: type)
  }

  /// Sends a message as ``respond(to:generating:options:)`` does, such as one with images.
  ///
  /// - Throws: as ``respond(to:generating:options:)``.
  public func respond<Value: Decodable & Sendable>(
    to message: ChappieInputMessage, generating type: Value.Type = Value.self
  ) async throws -> Value {
    let response = try await whole(.next(message.asking(for: type)))
    return try TypedAnswer.value(of: response).value
  }

  /// Sends a message as ``respond(to:generating:options:)`` does, and streams the answer. Releasing the stream cancels
  /// the turn.
  ///
  /// - Returns: snapshots of what is there of the answer, the whole value last. Each has more than the one before. The
  ///   stream throws what ``respond(to:generating:options:)`` throws.
  public func stream<Value: Decodable & Sendable>(
    _ text: String, generating type: Value.Type, options: ChappieMessageOptions = ChappieMessageOptions()
  ) -> ChappiePartialStream<Value> {
    stream(ChappieInputMessage(role: .user, text: text, options: options), generating: type)
  }

  /// Streams the answer as ``stream(_:generating:options:)`` does.
  public func stream<Value: Decodable & Sendable>(
    _ message: ChappieInputMessage, generating type: Value.Type
  ) -> ChappiePartialStream<Value> {
    do throws(ChappieSchemaError) {
      return ChappiePartialStream(events: stream(try message.asking(for: type)))
    } catch {
      return ChappiePartialStream(events: AsyncThrowingStream { $0.finish(throwing: error) })
    }
  }
}

/// What is there of a typed answer.
public struct ChappiePartial<Value: Decodable & Sendable>: Sendable {
  /// The complete part: members and elements that have not begun are missing, and the last text can be its beginning.
  public let json: ChappieJSONValue
  private let whole: Value?

  /// Whether this is the whole answer.
  public var isComplete: Bool { whole != nil }

  /// The value; nil while ``json`` lacks something that the type needs. Its last text can be a beginning until the
  /// answer is complete.
  public var value: Value? { whole ?? (try? json.decoded()) }

  fileprivate init(json: ChappieJSONValue, whole: Value? = nil) {
    self.json = json
    self.whole = whole
  }
}

/// The snapshots of a typed answer.
public struct ChappiePartialStream<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  fileprivate let events: AsyncThrowingStream<ChappieStreamEvent, any Error>

  /// An iterator over the snapshots. A stream is read once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(events: events.makeAsyncIterator())
  }

  /// Reads the snapshots in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var events: AsyncThrowingStream<ChappieStreamEvent, any Error>.Iterator
    private var text = ""
    /// The length of ``text`` at the latest snapshot, in bytes.
    private var seen = 0
    private var latest: ChappieJSONValue?
    private var isWhole = false

    fileprivate init(events: AsyncThrowingStream<ChappieStreamEvent, any Error>.Iterator) {
      self.events = events
    }

    /// The next snapshot that differs from the one before; nil after the whole value.
    ///
    /// - Throws: as ``ChappieClient/respond(to:generating:options:)``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ChappiePartial<Value>? {
      while let event = try await events.next(isolation: actor) {
        switch event {
        case .textDelta(let piece):
          text += piece
          // A snapshot reads the whole text again, so they become rarer as it grows.
          guard text.utf8.count - seen > seen / 256 else { continue }
          seen = text.utf8.count
          guard let json = PartialJSON.read(PartialJSON.document(in: text)), json != latest else { continue }
          latest = json
          return ChappiePartial(json: json)
        case .completed(let response):
          isWhole = true
          let answer: (json: ChappieJSONValue, value: Value) = try TypedAnswer.value(of: response)
          return ChappiePartial(json: answer.json, whole: answer.value)
        default: continue
        }
      }
      // A cancelled reader gets nil from the events, as it does at their end.
      if !isWhole { try Task.checkCancellation() }
      return nil
    }
  }
}

/// The reason why an answer is no value of the type.
public enum ChappieTypedAnswerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The model refuses to answer. The text is what it says.
  case refused(String)
  /// The answer is no JSON, or does not fit the type. The reason names the field and the problem, without a full stop.
  case unfit(reason: String, answer: String)

  /// The error in one sentence.
  public var description: String {
    switch self {
    case .refused(let text): "The model refuses to answer: \(text)"
    case .unfit(let reason, _): "The answer cannot be used: \(reason)."
    }
  }
}

#if FoundationTypes
  extension ChappieTypedAnswerError: LocalizedError {
    /// Same as ``description``, also as `localizedDescription`.
    public var errorDescription: String? { description }
  }
#endif

/// An answer as a value of a type.
package enum TypedAnswer {
  /// - Throws: ``ChappieTypedAnswerError``.
  package static func value<Value: Decodable>(
    of response: ChappieResponse
  ) throws -> (json: ChappieJSONValue, value: Value) {
    let text = response.outputText
    if response.isRefusal { throw ChappieTypedAnswerError.refused(text) }
    guard
      let json = (try? ChappieJSONValue(json: text))
        ?? (try? ChappieJSONValue(json: String(PartialJSON.document(in: text))))
    else { throw ChappieTypedAnswerError.unfit(reason: "it is no JSON", answer: text) }
    do {
      return (json, try json.decoded())
    } catch {
      let reason = error.sentence(of: ChappieSchema.rootName(of: Value.self))
      throw ChappieTypedAnswerError.unfit(reason: reason, answer: text)
    }
  }
}

extension ChappieInputMessage {
  /// The message with the schema of a type, unless its options have one.
  fileprivate func asking(for type: any Decodable.Type) throws(ChappieSchemaError) -> ChappieInputMessage {
    guard options.outputSchema == nil else { return self }
    var options = options
    options.outputSchema = try ChappieSchema.of(type).json
    return ChappieInputMessage(role: role, text: text, images: images, files: files, options: options)
  }
}
