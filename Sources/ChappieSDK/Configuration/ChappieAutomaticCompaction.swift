/// Whether a client puts its conversation in short by itself when the model's window fills.
public enum ChappieAutomaticCompaction: Sendable, Hashable {
  /// The app does it, or nobody.
  case off
  /// Before a message is sent, when what is sent fills more than this part of the window, in percent from 1 to 100.
  /// The size is guessed from the length of the texts; a model whose window the backend does not tell is left alone.
  case whenFull(percent: Double)

  /// A summary itself needs room: a conversation is put in short before the window is full.
  public static let recommended = ChappieAutomaticCompaction.whenFull(percent: 80)

  /// Whether `tokens` are too many for a window of `contextWindow`.
  func isDue(tokens: Int, contextWindow: Int) -> Bool {
    switch self {
    case .off: false
    case .whenFull(let percent): Double(tokens) > Double(contextWindow) * min(max(percent, 1), 100) / 100
    }
  }
}
