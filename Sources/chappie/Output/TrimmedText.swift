extension String {
  /// This text without the characters at its end for which `isDropped` holds.
  func trimmingEnd(while isDropped: (Character) -> Bool) -> String {
    String(reversed().drop(while: isDropped).reversed())
  }

  /// This text without the white space around it.
  var trimmed: String {
    String(drop(while: \.isWhitespace)).trimmingEnd(while: \.isWhitespace)
  }
}
