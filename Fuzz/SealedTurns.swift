// SPDX-License-Identifier: Apache-2.0

// The input is the content of a sealed turn, or a sealed turn and title. A second use of the input: a turn and a title
// are sealed with the right key, and the input chooses bytes to change, remove or repeat. All input is opened or
// refused, opened content is unchanged, and changed bytes never open.

import Platform
import SecretMemory

@testable import ChappieSDKRuntime

private let seal = ThreadSealer(key: SecretBytes([UInt8](repeating: 7, count: AEAD.keyLength)))
private let place = ThreadSealer.Place(
  thread: "a", sequence: 1, id: "t", recordedAt: StoredTime(seconds: .distantPast, rest: 5))

private func checkContent(_ bytes: [UInt8]) {
  guard let events = ThreadSealer.events(bytes) else { return }
  // JSON has no form for some numbers, which become null: so the second writing must equal the first.
  guard let kept = reread(events), let again = reread(kept) else { preconditionFailure("a sealed turn does not open") }
  precondition(kept == again, "a turn changes")
}

private func reread(_ events: [ChappieTurnEvent]) -> [ChappieTurnEvent]? {
  guard let sealed = try? seal.seal(events, at: place) else { return nil }
  guard case .turn(let turn) = seal.content(sealed, at: place) else { return nil }
  return turn.events
}

/// A copy of `bytes` with the changes that the input chooses.
private func damaged(_ bytes: [UInt8], by input: [UInt8]) -> [UInt8] {
  var bytes = bytes
  var rest = input[...]
  while rest.count >= 4 {
    let deed = Array(rest.prefix(4))
    rest = rest.dropFirst(4)
    let place = (Int(deed[1]) << 8 | Int(deed[2])) % (bytes.count + 1)
    switch deed[0] % 5 {
    case 0 where place < bytes.count: bytes[place] ^= max(1, deed[3])
    case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int(deed[3])))
    case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + Int(deed[3]))], at: place)
    case 3: bytes.removeSubrange(place...)
    default: bytes += [UInt8](repeating: 0, count: Int(deed[3]))
    }
  }
  return bytes
}

private func checkSealed(_ input: [UInt8]) {
  precondition(
    seal.content(input, at: place) == nil && seal.title(input, of: "a", number: 1) == nil, "random input opens")
  guard let turn = try? seal.seal([.compaction(summary: "All was said.")], at: place) else { preconditionFailure() }
  let title = seal.seal(title: "A walk", of: "a", number: 1)
  let (otherTurn, otherTitle) = (damaged(turn, by: input), damaged(title, by: input))
  precondition((seal.content(otherTurn, at: place) != nil) == (otherTurn == turn), "a changed turn opens")
  precondition(
    (seal.title(otherTitle, of: "a", number: 1) != nil) == (otherTitle == title), "a changed title opens")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  checkContent(input)
  checkSealed(input)
  return 0
}
