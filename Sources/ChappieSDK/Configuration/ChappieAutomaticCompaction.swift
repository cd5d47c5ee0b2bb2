/// Whether a client compacts its conversation by itself when the model's context window fills.
public enum ChappieAutomaticCompaction: Sendable, Hashable {
  /// Never: the app compacts it, if anyone does.
  case off
  /// Before a message is sent, when the request fills more than this part of the window, in percent from 1 to 100.
  /// The size is estimated from the length of the texts. Nothing is compacted for a model whose window the backend does
  /// not state.
  case whenFull(percent: Double)

  /// 80 percent: the summary itself needs room.
  public static let recommended = ChappieAutomaticCompaction.whenFull(percent: 80)

  /// Whether `tokens` are too many for a window of `contextWindow`.
  func isDue(tokens: Int, contextWindow: Int) -> Bool {
    switch self {
    case .off: false
    case .whenFull(let percent): Double(tokens) > Double(contextWindow) * min(max(percent, 1), 100) / 100
    }
  }
}
