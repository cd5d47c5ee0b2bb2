import GLibBridge
import SecretMemory
import Synchronization

/// The tokens that are in the memory of this process at the moment, so that no part of one is shown. It keeps none
/// there.
enum TokensAtHand {
  /// A shorter part is one of many words, and tells next to nothing.
  static let shortestPart = 8

  private static let tokens = Mutex<[Weak<SecretBytes>]>([])

  /// Knows `token` for as long as something else keeps it.
  static func note(_ token: SecretBytes) {
    tokens.withLock { tokens in
      tokens.removeAll { $0.value == nil }
      tokens.append(Weak(token))
    }
  }

  /// Each of them once, though many turns may have it.
  static func all() -> [SecretBytes] {
    let alive = tokens.withLock { $0.compactMap(\.value) }
    return alive.reduce(into: []) { distinct, token in
      if !distinct.contains(where: { $0.isEqual(to: token) }) { distinct.append(token) }
    }
  }
}
