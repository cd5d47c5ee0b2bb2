extension SchemaRange {
  func problem(_ count: Int, of things: String) -> String? {
    if count < least { return "must have at least \(least) \(things)" }
    if let most, count > most { return "must have at most \(most) \(things)" }
    return nil
  }
}

extension SchemaRules {
  func numberProblem(_ value: ChappieJSONValue) -> String? {
    guard let number = value.numberValue else { return nil }
    if let minimum, number < minimum { return "must be at least \(minimum.shown)" }
    if let maximum, number > maximum { return "must be at most \(maximum.shown)" }
    if let exclusiveMinimum, number <= exclusiveMinimum { return "must be above \(exclusiveMinimum.shown)" }
    if let exclusiveMaximum, number >= exclusiveMaximum { return "must be below \(exclusiveMaximum.shown)" }
    if let multipleOf, !number.isMultiple(of: multipleOf) { return "must be a multiple of \(multipleOf.shown)" }
    return nil
  }
}

extension Double {
  /// Whole numbers without a fraction.
  fileprivate var shown: String {
    Int64(exactly: self).map { "\($0)" } ?? "\(self)"
  }

  /// 0.3 is a multiple of 0.1, though not of the binary fraction next to it.
  fileprivate func isMultiple(of divisor: Double) -> Bool {
    let quotient = self / divisor
    return abs(quotient - quotient.rounded()) <= 1e-9 * max(1, abs(quotient))
  }
}
