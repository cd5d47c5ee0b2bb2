/// The version of a client, such as `0.163.0`.
struct ClientVersion: Comparable {
  private let numbers: [Int]

  /// Parses a version, and ignores a suffix such as `-alpha.3`. Nil if the rest is not three numbers.
  init?(_ text: String) {
    let parts = text.prefix { $0 != "-" }.split(separator: ".", omittingEmptySubsequences: false)
    numbers = parts.compactMap { Int($0) }
    guard numbers.count == 3, parts.count == 3 else { return nil }
  }

  static func < (left: ClientVersion, right: ClientVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }
}
