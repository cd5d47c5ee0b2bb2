// SPDX-License-Identifier: Apache-2.0

// The input is a caller's identity: the mark of a Flatpak, the label of a snap, an id, or the file of an access group.
// An accepted identity is safe in a path, in an attribute and in a key file.

@testable import ChappieService

private func check(_ id: AppID) {
  precondition((1...255).contains(id.text.utf8.count))
  precondition(id.text.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ";") })
  precondition(!id.text.contains("..") && !id.text.hasPrefix(".") && !id.text.hasSuffix("."))
  precondition(AppID(id.text) == id, "an id is refused when it is read back")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let text = String(decoding: input, as: UTF8.self)
  for id in [AppID(text), AppID(flatpak: text), AppID(snap: text)] { id.map(check) }
  if let snap = try? AppArmorLabel.snap(text) { check(snap) }
  if let info = try? FlatpakInfo(input) {
    check(info.appID)
    precondition(info.record(in: "/run").split(separator: "/").count == 4, "the record has another path")
  }
  if let group = try? AccessGroup(input) {
    precondition(AccessGroup.isName(group.name))
    group.members.forEach(check)
  }
  return 0
}
