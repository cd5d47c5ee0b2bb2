import GLibBridge

/// The conversation that a chat continues: a client's or a thread's.
@GLibActor
protocol ChatTarget: AnyObject {
  /// Says `text`, and prints the answer as it comes.
  ///
  /// - Returns: whether the model has answered, or refused to.
  /// - Throws: ``CommandFailure``.
  func say(_ text: String, _ options: VariantDictionary) async throws -> ExitStatus

  /// Begins anew.
  func clear() async throws

  /// Compacts the conversation; the model writes the summary where `summary` is empty.
  func compact(_ summary: String) async throws

  /// How long it is, in a line.
  func length() async throws -> String

  /// Asks another model from now on.
  func select(_ model: String) async throws

  /// Which model is asked.
  func model() async throws -> String
}
