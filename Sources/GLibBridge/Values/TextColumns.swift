import CGLib

extension Character {
  /// How many columns of a terminal it takes.
  public var columns: Int {
    isASCII ? 1 : unicodeScalars.map(Self.columns).max() ?? 0
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    if g_unichar_iszerowidth(scalar.value) != 0 { return 0 }
    return g_unichar_iswide(scalar.value) != 0 ? 2 : 1
  }
}

extension StringProtocol {
  /// How many columns of a terminal it takes, on one line.
  public var columns: Int { reduce(0) { $0 + $1.columns } }
}
