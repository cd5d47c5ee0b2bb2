/// The syntax of thread ids. An id is safe in a file path, in an object path and on a command line.
package enum ThreadID {
  /// Whether `id` is 1 to 64 of the characters `a` to `z`, `0` to `9` and `-`.
  package static func isValid(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count) && id.utf8.allSatisfy(isPlain)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}
