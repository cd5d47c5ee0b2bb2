/// The backend of a sign-in method, as its requests need to know it.
struct BackendProfile: Sendable {
  /// The address for a conversation's turns.
  let responsesURL: String
  /// The address of the model list.
  let modelsURL: String
  /// The address of the plan's usage. Nil when the backend does not tell of it.
  let usageURL: String?
  /// The page on which the user sees and limits the plan's usage. Nil when there is none for applications.
  let manageUsageURL: String?
  /// The headers that name this client. It does not pretend to be another.
  let clientHeaders: [(name: String, value: String)]
  /// The names of the headers that carry the conversation's id.
  let threadHeaders: [String]
  /// Whether turns may go over a WebSocket.
  let hasWebSocket: Bool
  /// Whether the bodies of requests may be compressed.
  let takesCompression: Bool
  /// Whether models can need the lite form of requests.
  let hasLiteForm: Bool
  /// Whether each listed model answers, even if the list does not say so.
  let servesListedModels: Bool
  /// Whether the user must have allowed the use of the plan while nobody is present.
  let needsBackgroundConsent: Bool
}
