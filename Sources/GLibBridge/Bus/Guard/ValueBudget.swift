// SPDX-License-Identifier: Apache-2.0
import CGLib

/// How many values of messages GDBus may parse in a second. It parses in order of arrival, about 0.3 µs for each value,
/// on the one thread that reads and writes for all connections of the process.
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

  /// Whether a message with so many values is within the limits. If so, it counts.
  ///
  /// - Parameter now: the monotonic time in microseconds.
  mutating func admits(_ values: Int, from sender: String, now: Int = Int(g_get_monotonic_time())) -> Bool {
    if now >= end {
      end = now + 1_000_000
      spent = [:]
      spentInAll = 0
    }
    let sum = spent[sender, default: 0] + values
    guard sum <= bounds.share || sum <= bounds.ofSender && spentInAll + values <= bounds.ofAll else { return false }
    spent[sender] = sum
    spentInAll += values
    return true
  }
}
