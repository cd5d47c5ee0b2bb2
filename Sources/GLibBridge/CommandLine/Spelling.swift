// SPDX-License-Identifier: Apache-2.0
import Platform

/// What a mistyped word probably means.
public enum Spelling {
  /// The question whether `typed` means the nearest of `words`; empty if none is near: at most a third of its
  /// characters are missing, added, replaced, or exchanged with their neighbour.
  public static func suggestion(for typed: String, among words: [String]) -> String {
    guard typed.count < 64 else { return "" }
    let near = words.map { (word: $0, distance: distance(Array(typed), Array($0))) }
    guard let nearest = near.min(by: { $0.distance < $1.distance }), nearest.distance <= max(1, typed.count / 3) else {
      return ""
    }
    return question(nearest.word)
  }

  /// The question whether `word` is meant.
  public static func question(_ word: String) -> String {
    " " + tr("Did you mean “\(word)”?")
  }

  /// The optimal string alignment distance.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var rows = [Array(0...other.count)]
    for (row, character) in one.enumerated() {
      var next = [row + 1]
      for (column, expected) in other.enumerated() {
        let isExchanged =
          row > 0 && column > 0 && character == other[column - 1] && one[row - 1] == expected && character != expected
        next.append(
          min(
            next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (character == expected ? 0 : 1),
            isExchanged ? rows[row - 1][column - 1] + 1 : .max))
      }
      rows.append(next)
    }
    return rows[one.count][other.count]
  }
}
