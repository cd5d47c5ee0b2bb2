/// How much room something takes, for people.
struct ByteCount {
  let bytes: UInt64

  /// In the largest unit of which there is one, with a decimal where there are less than ten.
  var text: String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var tenths = min(bytes, 1 << 59) * 10 / 1024
    var units = ["KiB", "MiB", "GiB", "TiB"][...]
    while tenths >= 10240, units.count > 1 {
      tenths /= 1024
      units = units.dropFirst()
    }
    let decimal = tenths < 100 && !tenths.isMultiple(of: 10) ? ".\(tenths % 10)" : ""
    return "\(tenths / 10)\(decimal) \(units[units.startIndex])"
  }
}
