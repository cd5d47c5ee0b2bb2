// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory
import Synchronization

/// The tokens in this process's memory, so that redaction finds every part of one. It does not keep a token alive.
enum TokensAtHand {
  /// The shortest part of a token to redact, in bytes. A shorter one occurs in ordinary words and reveals next to
  /// nothing.
  static let shortestPart = 8

  /// The tokens by fingerprint. Each turn decodes the same token again, so one fingerprint may have several copies.
  private struct Known {
    var copies: [[UInt8]: [Weak<SecretBytes>]] = [:]
    /// The number of entries above which released tokens are removed.
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

  /// Registers `token` for as long as something else keeps it.
  static func note(_ token: SecretBytes) {
    let fingerprint = KeyDerivation.fingerprint(of: token)
    known.withLock { known in
      var copies = known.copies[fingerprint] ?? []
      copies.removeAll { $0.value == nil }
      known.copies[fingerprint] = copies + [Weak(token)]
      if known.copies.count > known.bound { known.forgetWhatIsGone() }
    }
  }

  /// Returns each token once, even if many turns hold a copy.
  static func all() -> [SecretBytes] {
    known.withLock { known in
      known.copies.values.compactMap { copies in
        // Each weak reference is read only once, because its object may be gone at the next read.
        for copy in copies { if let token = copy.value { return token } }
        return nil
      }
    }
  }
}
