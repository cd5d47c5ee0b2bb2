import GLibBridge
import Platform

/// How much of something is used, as a bar for a terminal.
struct Bar {
  let percent: Double

  /// Who tells of it may tell of more than there can be.
  init(percent: Double) {
    self.percent = percent.isFinite ? min(max(percent, 0), 1_000_000) : 0
  }

  /// Rounded so that neither nothing nor all is claimed too early.
  var wholePercent: Int { percent < 1 ? Int(percent.rounded(.up)) : Int(percent) }

  /// Twenty blocks, the last one only when all is used, and the figure.
  var text: String {
    let filled = min(20, max(0, wholePercent == 0 ? 0 : max(1, Int(percent / 5))))
    let (full, empty) = StandardStream.output.has("█░") ? ("█", "░") : ("#", ".")
    let blocks = String(repeating: full, count: filled) + String(repeating: empty, count: 20 - filled)
    let figure = "\(wholePercent)%"
    return blocks + "  " + String(repeating: " ", count: max(0, 4 - figure.count)) + figure
  }
}
