// SPDX-License-Identifier: Apache-2.0
import Platform

/// A number of bytes as text for people.
struct ByteCount {
  let bytes: UInt64

  /// The number in its largest unit, with one decimal if it is below ten: `512 B`, `1.5 KiB`, `20 MiB`.
  var text: String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var tenths = Count(clamping: bytes).value
    tenths = tenths * 10 / 1024
    var units = ["KiB", "MiB", "GiB", "TiB"][...]
    while tenths >= 10240, units.count > 1 {
      tenths /= 1024
      units = units.dropFirst()
    }
    let number =
      tenths < 100 && !tenths.isMultiple(of: 10)
      ? LocalizedNumber.text(Double(tenths) / 10, decimals: 1) : LocalizedNumber.text(tenths / 10)
    return "\(number) \(units[units.startIndex])"
  }
}
