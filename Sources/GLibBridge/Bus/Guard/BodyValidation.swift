// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Validates the body of a message before GDBus parses it. GDBus allocates some hundred bytes for each value, and
/// closes the connection at the first invalid message.
///
/// The time is proportional to the length of the body.
struct BodyValidation {
  /// The specification's limit: 32 arrays and 32 structures.
  private static let depthLimit = 64

  private var reader: WireReader
  private var values: Int

  /// Validates a body.
  ///
  /// - Returns: the number of values.
  /// - Throws: ``WireFault`` when `body` does not match `signature` or has more than `limit` values.
  @discardableResult
  static func check(
    _ body: ArraySlice<UInt8>, _ order: ByteOrder, signature: ArraySlice<UInt8>?, valueLimit limit: Int
  ) throws(WireFault) -> Int {
    var check = BodyValidation(reader: WireReader(body, order), values: limit)
    var rest = signature ?? []
    if let signature { try text(signature, isSignature) }
    while !rest.isEmpty { try check.value(&rest, 0) }
    guard check.reader.rest == 0 else { throw .malformed }
    return limit - check.values
  }

  /// Reads one value of the first type in `types`, and removes that type.
  private mutating func value(_ types: inout ArraySlice<UInt8>, _ depth: Int) throws(WireFault) {
    guard depth < Self.depthLimit, let type = types.popFirst() else { throw .malformed }
    values -= 1
    guard values >= 0 else { throw .tooManyValues }
    switch type {
    case UInt8(ascii: "b"): guard try reader.uint32() <= 1 else { throw .malformed }
    case UInt8(ascii: "s"): try Self.text(reader.string()) { _ in true }
    case UInt8(ascii: "o"): try Self.text(reader.string(), Self.isObjectPath)
    case UInt8(ascii: "g"): try Self.text(reader.signature(), Self.isSignature)
    case UInt8(ascii: "v"): try variant(depth)
    case UInt8(ascii: "a"): try array(&types, depth)
    case UInt8(ascii: "("), UInt8(ascii: "{"): try structure(&types, depth)
    default:
      guard let size = Self.size(type) else { throw .malformed }
      try reader.align(size)
      try reader.skip(size)
    }
  }

  /// Validates a text: UTF-8 without a zero byte.
  private static func text(
    _ text: ArraySlice<UInt8>, _ isValid: (UnsafePointer<CChar>?) -> Bool
  ) throws(WireFault) {
    let holds = text.withUnsafeBytes { bytes in
      let characters = bytes.bindMemory(to: CChar.self).baseAddress
      return g_utf8_validate_len(characters, gsize(bytes.count), nil) != 0 && isValid(characters)
    }
    guard holds else { throw .malformed }
  }

  private mutating func variant(_ depth: Int) throws(WireFault) {
    var types = try reader.signature()
    try Self.text(types, Self.isSignature)
    try value(&types, depth + 1)
    guard types.isEmpty else { throw .malformed }
  }

  private mutating func array(_ types: inout ArraySlice<UInt8>, _ depth: Int) throws(WireFault) {
    let length = Int(try reader.uint32())
    guard length <= 1 << 26, let element = types.first else { throw .malformed }
    try reader.align(Self.alignment(element))
    guard reader.rest >= length else { throw .malformed }
    let end = reader.position + length
    let after = Self.afterType(types)
    if let size = Self.size(element) {
      // GDBus does not allocate the elements of arrays of numbers.
      guard length % size == 0 else { throw .malformed }
      try reader.skip(length)
    }
    while reader.position < end {
      var rest = types
      try value(&rest, depth + 1)
    }
    guard reader.position == end else { throw .malformed }
    types = after
  }

  private mutating func structure(_ types: inout ArraySlice<UInt8>, _ depth: Int) throws(WireFault) {
    try reader.align(8)
    while let next = types.first, next != UInt8(ascii: ")"), next != UInt8(ascii: "}") { try value(&types, depth + 1) }
    guard types.popFirst() != nil else { throw .malformed }
  }

  // MARK: Types

  /// The size of a number; nil for other types.
  private static func size(_ type: UInt8) -> Int? {
    switch type {
    case UInt8(ascii: "y"): 1
    case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
    case UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"): 4
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): 8
    default: nil
    }
  }

  private static func alignment(_ type: UInt8) -> Int {
    switch type {
    case UInt8(ascii: "("), UInt8(ascii: "{"): 8
    case UInt8(ascii: "v"), UInt8(ascii: "g"): 1
    default: size(type) ?? 4
    }
  }

  /// The types after the first complete type of `types`, a valid signature.
  private static func afterType(_ types: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = types
    var open = 0
    while let type = rest.popFirst() {
      switch type {
      case UInt8(ascii: "a"): continue
      case UInt8(ascii: "("), UInt8(ascii: "{"): open += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"): open -= 1
      default: break
      }
      if open == 0 { break }
    }
    return rest
  }

  /// GLib takes the empty structure of GVariant, which D-Bus does not have, and GDBus refuses its messages.
  private static func isSignature(_ text: UnsafePointer<CChar>?) -> Bool {
    text.map { g_variant_is_signature($0) != 0 && g_strstr_len($0, -1, "()") == nil } ?? true
  }

  private static func isObjectPath(_ text: UnsafePointer<CChar>?) -> Bool {
    text.map { g_variant_is_object_path($0) != 0 } ?? false
  }
}

/// How many values of messages are checked, and parsed by GDBus, in a second. Both are done in order of arrival, about
/// 0.4 µs for each value, on the one thread that reads and writes for all connections of the process.
struct ValueBudget: Sendable {
  struct Bounds: Sendable {
    /// The values of one sender in a second, which take about 50 ms.
    var ofSender = 150_000
    /// The values of all senders in a second, which take about 200 ms.
    var ofAll = 600_000
    /// The values of a second that each sender may always have.
    var share = 5000
  }

  private let bounds: Bounds
  /// The values in this second, by sender and of all of them.
  private var spent: [String: Int] = [:]
  private var spentInAll = 0
  private var end = 0

  init(_ bounds: Bounds = Bounds()) {
    self.bounds = bounds
  }

  /// How many values a message of `sender` may have.
  ///
  /// - Parameter now: the monotonic time in microseconds.
  mutating func rest(of sender: String, now: Int = Int(g_get_monotonic_time())) -> Int {
    if now >= end {
      end = now + 1_000_000
      spent = [:]
      spentInAll = 0
    }
    let spent = spent[sender, default: 0]
    return max(bounds.share - spent, min(bounds.ofSender - spent, bounds.ofAll - spentInAll), 0)
  }

  /// Counts the values of a message, which were checked if it was rejected as well.
  mutating func spend(_ values: Int, of sender: String) {
    spent[sender, default: 0] += values
    spentInAll += values
  }
}
