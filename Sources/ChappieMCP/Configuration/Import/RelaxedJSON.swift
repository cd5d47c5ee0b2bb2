// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// JSON as editors write it, with comments and with commas behind last elements.
enum RelaxedJSON {
  /// The same text without comments and such commas, in time that is proportional to its length.
  static func strict(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    // The place in `result` of a comma with nothing but white space and comments behind it.
    var comma: Int?
    var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while index < bytes.count {
      let byte = bytes[index]
      if let end = endOfComment(bytes, at: index) {
        index = end
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        let end = endOfString(bytes, from: index)
        result += bytes[index..<end]
        index = end
        comma = nil
        continue
      case UInt8(ascii: ","): comma = result.count
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if let place = comma { result[place] = UInt8(ascii: " ") }
        comma = nil
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
      default: comma = nil
      }
      result.append(byte)
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The end of the comment that begins here; nil where none does. One without an end takes the rest.
  private static func endOfComment(_ bytes: [UInt8], at start: Int) -> Int? {
    guard bytes[start] == UInt8(ascii: "/"), start + 1 < bytes.count else { return nil }
    switch bytes[start + 1] {
    case UInt8(ascii: "/"): return bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    case UInt8(ascii: "*"):
      var index = start + 2
      while index + 1 < bytes.count {
        if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
        index += 1
      }
      return bytes.count
    default: return nil
    }
  }

  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }
}
