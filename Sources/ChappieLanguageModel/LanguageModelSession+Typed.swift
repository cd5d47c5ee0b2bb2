// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

extension LanguageModelSession {
  /// Asks the model for a value of a type.
  ///
  /// - Parameters:
  ///   - prompt: the question.
  ///   - type: a type that is an object in JSON.
  ///   - includeSchemaInPrompt: makes no difference: the schema goes beside the prompt, and the backend enforces it.
  ///   - options: the options of the request.
  /// - Throws: as ``respond(to:options:)``; ``LanguageModelError/unsupportedGenerationGuide(_:)`` for a type without a
  ///   schema, before anything is sent; ``LanguageModelError/refusal(_:)``; ``LanguageModelError/decodingFailure(_:)``.
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: some PromptRepresentable, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await respond(prompt.promptRepresentation, options, .value(of: type))
  }

  /// Asks with a prompt of several parts; otherwise as ``respond(to:generating:includeSchemaInPrompt:options:)``.
  @discardableResult
  public func respond<Content: Generable>(
    generating type: Content.Type = Content.self, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await respond(try prompt(), options, .value(of: type))
  }

  /// Asks the model for JSON of a schema; otherwise as ``respond(to:generating:includeSchemaInPrompt:options:)``.
  @discardableResult
  public func respond(
    to prompt: some PromptRepresentable, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await respond(prompt.promptRepresentation, options, .json(schema))
  }

  /// Asks the model for a value of a type. The request begins at once.
  ///
  /// - Returns: the answer in progress. It throws what ``respond(to:generating:includeSchemaInPrompt:options:)`` throws.
  public func streamResponse<Content: Generable>(
    to prompt: some PromptRepresentable, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<Content> {
    stream(prompt.promptRepresentation, options, .value(of: type))
  }

  /// Asks with a prompt of several parts; otherwise as
  /// ``streamResponse(to:generating:includeSchemaInPrompt:options:)``.
  ///
  /// - Throws: the error of `prompt`.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<Content> {
    stream(try prompt(), options, .value(of: type))
  }

  /// Asks the model for JSON of a schema; otherwise as
  /// ``streamResponse(to:generating:includeSchemaInPrompt:options:)``.
  public func streamResponse(
    to prompt: some PromptRepresentable, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<GeneratedContent> {
    stream(prompt.promptRepresentation, options, .json(schema))
  }
}

/// What an answer is read as: a text, or a value with a schema.
struct AnswerForm<Content: Sendable>: Sendable {
  /// Nil for a text.
  let schema: Result<GenerationSchema, ChappieSchemaError>?
  /// - Throws: ``ChappieTypedAnswerError``.
  let read: @Sendable (ChappieResponse) throws -> (json: ChappieJSONValue, value: Content)
}

extension AnswerForm<String> {
  static var text: AnswerForm { AnswerForm(schema: nil) { (.string($0.outputText), $0.outputText) } }
}

extension AnswerForm where Content: Decodable {
  static func value(of type: Content.Type) -> AnswerForm {
    AnswerForm(
      schema: Result { () throws(ChappieSchemaError) in try ChappieSchema.of(type) }, read: TypedAnswer.value)
  }
}

extension AnswerForm<GeneratedContent> {
  static func json(_ schema: GenerationSchema) -> AnswerForm {
    AnswerForm(schema: .success(schema), read: TypedAnswer.value)
  }
}
