// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

extension LanguageModelSession {
  /// A complete answer.
  public struct Response<Content: Sendable>: Sendable {
    /// The answer.
    public let content: Content
    /// The answer as the model wrote it.
    public let rawContent: GeneratedContent
    /// The entries that the request has added to the transcript: the prompt, the calls of tools, the answer.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
    /// The client's answer, with the model and the use of tokens. Apple's type does not have it.
    public let response: ChappieResponse

    /// Creates an answer, such as one for a preview.
    public init(
      content: Content, rawContent: GeneratedContent, transcriptEntries: ArraySlice<Transcript.Entry>,
      response: ChappieResponse
    ) {
      self.content = content
      self.rawContent = rawContent
      self.transcriptEntries = transcriptEntries
      self.response = response
    }
  }

  /// An answer in progress: cumulative snapshots, and at last the complete answer. Releasing the stream cancels the
  /// request. A reader that is slower than the model misses snapshots, but never the last one.
  public struct ResponseStream<Content: Sendable>: AsyncSequence, Sendable {
    /// The whole of an answer so far.
    public struct Snapshot: Sendable {
      let text: String
      let isText: Bool

      /// The answer so far, as the model has written it.
      public var rawContent: GeneratedContent {
        let json = isText ? .string(text) : PartialJSON.read(PartialJSON.document(in: text))
        return GeneratedContent(json ?? [:], isComplete: false)
      }
    }

    public typealias Element = Snapshot

    let snapshots: AsyncThrowingStream<Snapshot, any Swift.Error>
    let task: Task<Response<Content>, any Swift.Error>

    /// Iterates over the snapshots. A stream has one reader at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate var snapshots: AsyncThrowingStream<Snapshot, any Swift.Error>.AsyncIterator

      /// The newest snapshot, or nil after the last.
      ///
      /// - Throws: as ``LanguageModelSession/respond(to:options:)``; `CancellationError` if the reader is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Snapshot? {
        try await snapshots.next(isolation: actor)
      }
    }

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(snapshots: snapshots.makeAsyncIterator())
    }

    /// Waits for the complete answer, also while a reader gets the snapshots.
    ///
    /// - Throws: as ``LanguageModelSession/respond(to:options:)``.
    public func collect() async throws -> Response<Content> {
      // Releasing the snapshots would cancel the request.
      defer { withExtendedLifetime(snapshots) {} }
      return try await task.valueOrCancelled()
    }
  }
}

extension LanguageModelSession.ResponseStream.Snapshot where Content == String {
  /// The text so far.
  public var content: String { text }
}

extension LanguageModelSession.ResponseStream.Snapshot where Content: Decodable {
  /// The value so far; nil while it lacks something that the type needs. `rawContent.value(_:forProperty:)` reads a
  /// member before that.
  // A text is decodable too, and its own form is the one that counts.
  @_disfavoredOverload
  public var content: Content? { try? rawContent.value() }
}
