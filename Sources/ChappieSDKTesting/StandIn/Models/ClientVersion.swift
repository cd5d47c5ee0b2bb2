/// The version that a client says of itself, such as `0.163.0`.
struct ClientVersion: Comparable {
  private let numbers: [Int]

  /// What comes behind a dash, such as `-alpha.3`, does not count; nil when the rest is not three numbers.
  init?(_ text: String) {
    let parts = text.prefix { $0 != "-" }.split(separator: ".", omittingEmptySubsequences: false)
    numbers = parts.compactMap { Int($0) }
    guard numbers.count == 3, parts.count == 3 else { return nil }
  }

  static func < (left: ClientVersion, right: ClientVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }
}
