// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// An error of a request, in the words of Apple's framework.
///
/// An error that these words do not fit, such as that nobody is signed in, is thrown as the ``ChappieClientError`` that
/// it is.
public enum LanguageModelError: Error, Sendable {
  /// The conversation is larger than the model's context window. Begin another session, or set
  /// `automaticCompaction` of the configuration.
  case contextSizeExceeded(Context)
  /// The plan's quota is used up, or requests come too fast.
  case rateLimited(Context)
  /// The model refused to give the typed answer that was asked for.
  case refusal(Context)
  /// Never thrown: the backends tell it as a refusal or as another error.
  case guardrailViolation(Context)
  /// The request has an option or a part that the backend does not offer.
  case unsupportedCapability(Context)
  /// Never thrown: tool calls in a transcript are left out.
  case unsupportedTranscriptContent(Context)
  /// There is no schema for the type of the answer or of a tool's arguments.
  case unsupportedGenerationGuide(Context)
  /// Never thrown.
  case unsupportedLanguageOrLocale(Context)
  /// Never thrown: a backend that does not answer is a ``ChappieClientError/network(_:)``.
  case timeout(Context)
  /// The answer does not fit the type that was asked for.
  case decodingFailure(Context)

  /// What is known of an error.
  public struct Context: Sendable, CustomDebugStringConvertible {
    /// The error and its remedy, in a sentence.
    public let debugDescription: String
    /// The error of the client, of the schema or of the decoder.
    public let underlyingError: (any Error)?

    /// Creates a context from a sentence, and the error that it tells of.
    public init(debugDescription: String, underlyingError: (any Error)? = nil) {
      self.debugDescription = debugDescription
      self.underlyingError = underlyingError
    }
  }

  /// The error's context.
  public var context: Context {
    switch self {
    case .contextSizeExceeded(let context), .rateLimited(let context), .refusal(let context),
      .guardrailViolation(let context), .unsupportedCapability(let context), .unsupportedTranscriptContent(let context),
      .unsupportedGenerationGuide(let context), .unsupportedLanguageOrLocale(let context), .timeout(let context),
      .decodingFailure(let context):
      context
    }
  }

  /// An error of the client in these words; nil where none fits.
  init?(_ error: any Error) {
    let context = Context(debugDescription: "\(error)", underlyingError: error)
    switch error {
    case ChappieClientError.usageLimitReached, ChappieClientError.httpError(429, _): self = .rateLimited(context)
    case ChappieClientError.unsupportedCapability: self = .unsupportedCapability(context)
    // The backend's code for it is context_length_exceeded, and its sentence has these words.
    case ChappieClientError.httpError(_, let message) where message.contains("context window"):
      self = .contextSizeExceeded(context)
    case is ChappieSchemaError: self = .unsupportedGenerationGuide(context)
    case ChappieTypedAnswerError.refused: self = .refusal(context)
    case ChappieTypedAnswerError.unfit: self = .decodingFailure(context)
    default: return nil
    }
  }
}

extension LanguageModelError: CustomStringConvertible {
  /// The error and its remedy, in a sentence.
  public var description: String { context.debugDescription }
}

extension LanguageModelSession {
  /// A wrong use of a session.
  public enum Error: Swift.Error, Sendable, Hashable, CustomStringConvertible {
    /// The session is answering another request. Wait for its end, or use another session.
    case concurrentRequests

    /// The error and its remedy, in a sentence.
    public var description: String {
      "This session is answering another request: wait for its end, or use another session."
    }
  }

  /// An error that a tool has thrown. It ends the request.
  public struct ToolCallError: Swift.Error, CustomStringConvertible {
    /// The tool that was called.
    public let tool: any Tool
    /// The error that the tool has thrown.
    public let underlyingError: any Swift.Error

    /// Creates an error of a tool.
    public init(tool: any Tool, underlyingError: any Swift.Error) {
      self.tool = tool
      self.underlyingError = underlyingError
    }

    /// The tool's name and its error.
    public var description: String { "The tool '\(tool.name)' failed: \(underlyingError)" }
  }

  /// The name of ``LanguageModelError`` in version 26 of Apple's framework.
  @available(*, deprecated, renamed: "LanguageModelError")
  public typealias GenerationError = LanguageModelError
}

#if FoundationTypes
  import FoundationEssentials

  extension LanguageModelError: LocalizedError {
    /// Same as ``description``, also as `localizedDescription`.
    public var errorDescription: String? { description }
  }

  extension LanguageModelError.Context {
    /// The time from which on requests are answered again, if the backend tells it.
    public var resetDate: Date? {
      guard case .usageLimitReached(let limit)? = underlyingError as? ChappieClientError else { return nil }
      return limit.resetsAt
    }
  }

  extension LanguageModelSession.Error: LocalizedError {
    /// Same as ``description``, also as `localizedDescription`.
    public var errorDescription: String? { description }
  }

  extension LanguageModelSession.ToolCallError: LocalizedError {
    /// Same as ``description``, also as `localizedDescription`.
    public var errorDescription: String? { description }
  }
#endif
