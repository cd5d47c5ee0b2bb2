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

/// A number of bytes as text for people.
struct ByteCount {
  let bytes: UInt64

  /// The number in its largest unit, with one decimal if it is below ten: `512 B`, `1.5 KiB`, `20 MiB`.
  var text: String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var tenths = Count(clamping: bytes).value
    tenths = tenths * 10 / 1024
    var units = ["KiB", "MiB", "GiB", "TiB"][...]
    while tenths >= 10240, units.count > 1 {
      tenths /= 1024
      units = units.dropFirst()
    }
    let number =
      tenths < 100 && !tenths.isMultiple(of: 10)
      ? LocalizedNumber.text(Double(tenths) / 10, decimals: 1) : LocalizedNumber.text(tenths / 10)
    return "\(number) \(units[units.startIndex])"
  }
}
