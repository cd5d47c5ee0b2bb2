import ChappieSDK
import GLibBridge

/// The options of a turn, as a caller gives them.
struct TurnOptions {
  let message: ChappieMessageOptions
  /// Addresses and paths of images, as the caller wrote them.
  let images: [String]
  let broadcast: Bool
  /// Whether a turn on a shared object becomes part of its transcript.
  let continues: Bool
  /// Tools of this turn alone, which whoever sees its signals may run.
  let tools: ToolRegistration?

  /// About how many bytes of memory they take.
  var footprint: Int {
    images.reduce((message.instructions?.utf8.count ?? 0) + (tools?.footprint ?? 0)) { $0 + $1.utf8.count }
  }

  /// - Throws: `VariantError`, `BusError` with `InvalidArgument`.
  init(_ options: VariantDictionary) throws {
    message = ChappieMessageOptions(
      fastMode: try options.value("fast_mode") ?? false,
      reasoningEffort: try options.name("reasoning_effort").map(ChappieReasoningEffort.init),
      model: try options.name("model"),
      instructions: try options.value("instructions"))
    images = try options.value("images") ?? []
    guard images.count <= Limits.images else {
      throw BusError(
        .limitExceeded, "There are \(images.count) images, and \(Limits.images) are allowed: show fewer.")
    }
    broadcast = try options.value("broadcast") ?? false
    continues = try options.value("continue") ?? false
    tools = try options.value("tools", as: [VariantDictionary].self).map { try ToolRegistration($0, handler: .signals) }
  }
}

extension ChappieResponse {
  /// The details of `Completed`.
  var details: VariantDictionary {
    var details: VariantDictionary = [
      "model": model, "response_id": responseID,
      "input_tokens": UInt64(clamping: usage.inputTokens),
      "cached_input_tokens": UInt64(clamping: usage.cachedInputTokens),
      "output_tokens": UInt64(clamping: usage.outputTokens),
      "reasoning_tokens": UInt64(clamping: usage.reasoningTokens),
    ]
    if isRefusal { details.set("refusal", true) }
    return details
  }
}
