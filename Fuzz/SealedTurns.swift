// Any bytes as what is in a sealed turn, and as a sealed turn and title. A second reading: a turn and a title that are
// sealed with the right key, with bytes changed, lost or doubled where the input says. Whatever comes is read or refused,
// what is read comes back as it was, and what was changed never opens.

import SecretMemory

@testable import ChappieSDKRuntime

private let seal = ThreadSeal(key: SecretBytes([UInt8](repeating: 7, count: SealedBytes.keyLength)))
private let place = ThreadSeal.Place(thread: "a", sequence: 1, id: "t", recordedAt: StoredTime(microseconds: 5))

private func checkContent(_ bytes: [UInt8]) {
  guard let events = ThreadSeal.events(bytes) else { return }
  // A number that JSON cannot write is written as null: so the second writing is what must come back.
  guard let kept = reread(events), let again = reread(kept) else { preconditionFailure("a turn does not come back") }
  precondition(kept == again, "a turn changes")
}

private func reread(_ events: [ChappieTurnEvent]) -> [ChappieTurnEvent]? {
  (try? seal.seal(events, at: place)).flatMap { seal.turn($0, at: place)?.events }
}

/// What the input makes of `bytes`.
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
  precondition(seal.turn(input, at: place) == nil && seal.title(input, of: "a", number: 1) == nil, "noise opens")
  guard let turn = try? seal.seal([.compaction(summary: "All was said.")], at: place) else { preconditionFailure() }
  let title = seal.seal(title: "A walk", of: "a", number: 1)
  let (otherTurn, otherTitle) = (damaged(turn, by: input), damaged(title, by: input))
  precondition((seal.turn(otherTurn, at: place) != nil) == (otherTurn == turn), "a turn that was changed opens")
  precondition(
    (seal.title(otherTitle, of: "a", number: 1) != nil) == (otherTitle == title), "a title that was changed opens")
}

private func checkTime(_ input: [UInt8]) {
  let time = StoredTime(microseconds: input.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
  precondition((0..<1_000_000).contains(time.rest), "a part of a second that is none")
  let again = StoredTime(seconds: time.seconds, rest: time.rest)
  precondition(again == time || abs(time.seconds) > 9_000_000_000_000, "a time does not come back")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  checkContent(input)
  checkSealed(input)
  checkTime(input)
  return 0
}
