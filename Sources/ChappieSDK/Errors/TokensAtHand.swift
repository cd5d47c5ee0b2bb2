import GLibBridge
import SecretMemory
import Synchronization

/// The tokens that are in the memory of this process at the moment, so that no part of one is shown. It keeps none
/// there.
enum TokensAtHand {
  /// A shorter part is one of many words, and tells next to nothing.
  static let shortestPart = 8

  /// One entry for each token, by a fingerprint: the same one is decoded again for each turn.
  private struct Known {
    var copies: [[UInt8]: [Weak<SecretBytes>]] = [:]
    /// The entries above which those of tokens that are gone are looked for.
    var bound = 64

    mutating func forgetWhatIsGone() {
      copies = copies.compactMapValues { copies in
        let alive = copies.filter { $0.value != nil }
        return alive.isEmpty ? nil : alive
      }
      bound = 2 * copies.count + 64
    }
  }

  private static let known = Mutex(Known())

  /// Knows `token` for as long as something else keeps it.
  static func note(_ token: SecretBytes) {
    let fingerprint = KeyDerivation.fingerprint(of: token)
    known.withLock { known in
      var copies = known.copies[fingerprint] ?? []
      copies.removeAll { $0.value == nil }
      known.copies[fingerprint] = copies + [Weak(token)]
      if known.copies.count > known.bound { known.forgetWhatIsGone() }
    }
  }

  /// Each of them once, though many turns may have it.
  static func all() -> [SecretBytes] {
    known.withLock { known in
      known.copies.values.compactMap { copies in
        // Looked at once each: what was there can be gone with the next look.
        for copy in copies { if let token = copy.value { return token } }
        return nil
      }
    }
  }
}
