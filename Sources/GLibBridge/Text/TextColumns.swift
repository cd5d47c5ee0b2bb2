import CGLib

extension Character {
  /// The width of the character in terminal columns.
  public var columns: Int {
    isASCII ? 1 : unicodeScalars.map(Self.columns).max() ?? 0
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    if g_unichar_iszerowidth(scalar.value) != 0 { return 0 }
    return g_unichar_iswide(scalar.value) != 0 ? 2 : 1
  }
}

extension StringProtocol {
  /// The width of the text in terminal columns, on one line.
  public var columns: Int { reduce(0) { $0 + $1.columns } }
}
