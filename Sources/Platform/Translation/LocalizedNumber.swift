import Glibc

/// Numbers as people of the user's locale write them.
public enum LocalizedNumber {
  /// A whole number with its digits in groups.
  public static func text(_ number: Int) -> String {
    formatted("%'ld", number)
  }

  /// A number with so many decimals.
  public static func text(_ number: Double, decimals: Int) -> String {
    formatted("%'.*f", Int32(clamping: decimals), number)
  }

  private static func formatted(_ format: String, _ values: any CVarArg...) -> String {
    var text = [CChar](repeating: 0, count: 512)
    let count = Translation.inUsersLocale {
      withVaList(values) { vsnprintf(&text, text.count, format, $0) }
    }
    let bytes = text.prefix(max(0, min(Int(count), text.count - 1))).map { UInt8(bitPattern: $0) }
    // In a locale without UTF-8, the mark between groups may be a no-break space of another character set.
    return String(decoding: bytes, as: UTF8.self).replacing("\u{FFFD}", with: "\u{A0}")
  }
}
