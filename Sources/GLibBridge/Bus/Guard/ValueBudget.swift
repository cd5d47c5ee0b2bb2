// SPDX-License-Identifier: Apache-2.0
import CGLib

/// How many values of messages are checked, and parsed by GDBus, in a second. Both are done in order of arrival, about
/// 0.4 µs for each value, on the one thread that reads and writes for all connections of the process.
struct ValueBudget: Sendable {
  struct Bounds: Sendable {
    /// The values of one sender in a second, which take about 50 ms.
    var ofSender = 150_000
    /// The values of all senders in a second, which take about 200 ms.
    var ofAll = 600_000
    /// The values of a second that each sender may always have.
    var share = 5000
  }

  private let bounds: Bounds
  /// The values in this second, by sender and of all of them.
  private var spent: [String: Int] = [:]
  private var spentInAll = 0
  private var end = 0

  init(_ bounds: Bounds = Bounds()) {
    self.bounds = bounds
  }

  /// How many values a message of `sender` may have.
  ///
  /// - Parameter now: the monotonic time in microseconds.
  mutating func rest(of sender: String, now: Int = Int(g_get_monotonic_time())) -> Int {
    if now >= end {
      end = now + 1_000_000
      spent = [:]
      spentInAll = 0
    }
    let spent = spent[sender, default: 0]
    return max(bounds.share - spent, min(bounds.ofSender - spent, bounds.ofAll - spentInAll), 0)
  }

  /// Counts the values of a message, which were checked if it was rejected as well.
  mutating func spend(_ values: Int, of sender: String) {
    spent[sender, default: 0] += values
    spentInAll += values
  }
}
