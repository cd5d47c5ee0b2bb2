// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A bar for a terminal that shows a percentage.
struct UsageBar {
  /// 0 or more; 100 is all.
  let percent: Double

  /// - Parameter percent: any number; the bar limits it to 0 to 1,000,000.
  init(percent: Double) {
    self.percent = percent.isFinite ? min(max(percent, 0), 1_000_000) : 0
  }

  /// The percentage as a whole number: 0 and 100 appear only for exactly nothing and for everything.
  var wholePercent: Int { Count(percent < 1 ? percent.rounded(.up) : percent)?.value ?? 0 }

  /// Twenty blocks and the number. The last block is filled only at 100 per cent.
  var text: String {
    let filled = min(20, wholePercent == 0 ? 0 : max(1, wholePercent / 5))
    let (full, empty) = StandardStream.output.has("█░") ? ("█", "░") : ("#", ".")
    let blocks = String(repeating: full, count: filled) + String(repeating: empty, count: 20 - filled)
    let room = Self.figure(100).count
    let figure = Self.figure(wholePercent)
    return blocks + "  " + String(repeating: " ", count: max(0, room - figure.count)) + figure
  }

  /// A percentage for people.
  static func figure(_ percent: Int) -> String { tr("\(LocalizedNumber.text(percent))%") }
}
