// SPDX-License-Identifier: Apache-2.0

// The input is the body of a bus message, of any type. GDBus, which closes the connection for an invalid message,
// receives the messages that pass the guard. The input is the length of a signature, the signature, and the body.

import CGLib

@testable import GLibBridge

/// A signal with this body, in its encoded form.
private func message(_ signature: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>) -> [UInt8] {
  func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  func field(_ code: UInt8, _ type: String, _ value: [UInt8]) -> [UInt8] {
    [code, 1] + Array(type.utf8) + [0] + value
  }
  func string(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) + [0] }
  var fields: [UInt8] = []
  for next in [
    field(1, "o", string("/a")), field(2, "s", string("a.b")), field(3, "s", string("C")),
    field(8, "g", [UInt8(signature.count)] + signature + [0]),
  ] {
    while fields.count % 8 != 0 { fields.append(0) }
    fields += next
  }
  var bytes = [UInt8(ascii: "l"), 4, 0, 1] + number(body.count) + number(1) + number(fields.count) + fields
  while bytes.count % 8 != 0 { bytes.append(0) }
  return bytes + body
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let length = input.first.map(Int.init), length < count else { return 0 }
  var bytes = message(input[1..<1 + length], input[(1 + length)...])
  guard let head = try? MessageHead(bytes[...]), head.length == bytes.count,
    let fields = try? MessageFields(bytes[..<head.headerLength], head.byteOrder)
  else { preconditionFailure("the message was not parsed") }
  do throws(WireFault) {
    try BodyValidation.check(
      bytes[head.headerLength...], head.byteOrder, signature: fields.signature, valueLimit: 10_000)
  } catch {
    return 0
  }
  var error: UnsafeMutablePointer<GError>?
  let taken = g_dbus_message_new_from_blob(&bytes, gsize(bytes.count), G_DBUS_CAPABILITY_FLAGS_NONE, &error)
  let reason = error.map { String(cString: $0.pointee.message) } ?? ""
  precondition(taken != nil, "GDBus refuses it: \(reason)")
  g_object_unref(UnsafeMutableRawPointer(taken))
  return 0
}
