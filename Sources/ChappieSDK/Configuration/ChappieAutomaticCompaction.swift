/// Whether a client compacts its conversation automatically as the model's context window fills.
public enum ChappieAutomaticCompaction: Sendable, Hashable {
  /// Never. The app may still compact the conversation itself.
  case off
  /// Before a message is sent, if the request fills more than this part of the window, in percent from 1 to 100. The
  /// length of the texts gives an estimate of the request's size. Nothing is compacted for a model without a stated
  /// window.
  case whenFull(percent: Double)

  /// 80 percent, because the summary itself needs room.
  public static let recommended = ChappieAutomaticCompaction.whenFull(percent: 80)

  /// Whether `tokens` exceed the limit for a window of `contextWindow` tokens.
  func isDue(tokens: Int, contextWindow: Int) -> Bool {
    switch self {
    case .off: false
    case .whenFull(let percent): Double(tokens) > Double(contextWindow) * min(max(percent, 1), 100) / 100
    }
  }
}
