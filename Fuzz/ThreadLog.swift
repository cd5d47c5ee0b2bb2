// Any bytes as the file of a thread, as what is in a record and as a record of the index. A second reading: records
// that are sealed with the right key, with bytes changed, lost or doubled where the input says. Whatever comes is read
// or reported, and what is written next is read again.

import SecretMemory

@testable import ChappieSDKRuntime

private let log = SealedLog(
  header: LogHeader(kind: .thread, device: "d"), name: "a",
  key: SecretBytes([UInt8](repeating: 7, count: SealedBytes.keyLength)))

private func scan(_ bytes: [UInt8], from start: Int = 0) -> LogScan {
  LogScan(bytes, from: start) { frame, body in log.open(body, number: frame.number) }
}

private func checkScan(_ bytes: [UInt8]) {
  let scanned = scan(bytes)
  var end = 0
  for piece in scanned.pieces {
    switch piece {
    case .record(let frame, let place, _):
      precondition(place == end, "a gap before a record")
      end += LogFrame.length + Int(frame.bodyLength)
    case .damage(let range):
      precondition(range.lowerBound == end && !range.isEmpty, "a gap before damage")
      end = range.upperBound
    }
  }
  precondition(end == scanned.end && end <= bytes.count, "pieces do not add up to the log")
}

/// What is written where the log says is the last record of the next reading.
private func checkAppending(_ bytes: [UInt8]) {
  guard let read = try? ThreadLog(bytes, sealed: log), read.nextNumber < .max else { return }
  precondition(read.end >= 0 && read.end <= bytes.count)
  let record = ThreadRecord.archived(at: 5)
  guard let sealed = try? log.record(record.content, number: read.nextNumber) else { preconditionFailure() }
  let next = Array(bytes[..<Int(read.end)]) + sealed
  guard let again = try? ThreadLog(next, sealed: log) else { preconditionFailure("it cannot be read any more") }
  precondition(again.records.last == record && again.end == next.count && !again.isTorn, "what was written is lost")
  precondition(again.records.dropLast() == read.records[...], "what was there before is lost")
}

private func checkContent(_ bytes: [UInt8]) {
  // A number that JSON cannot write is written as null: so the second writing is what must come back.
  if let record = ThreadRecord(bytes), record != .other {
    guard let kept = ThreadRecord(record.content) else { preconditionFailure("a record does not come back") }
    precondition(ThreadRecord(kept.content) == kept, "a record changes")
  }
  if let changes = decoded(bytes) {
    precondition(decoded(IndexCoding.encode(changes)) == changes, "a record of the index does not come back")
  }
}

private func decoded(_ bytes: [UInt8]) -> [ThreadIndex.Change]? {
  var changes: [ThreadIndex.Change] = []
  return IndexCoding.decode(bytes) { changes.append($0) } ? changes : nil
}

/// A log of a few records, in which the input has changed something.
private func damagedLog(_ input: [UInt8]) -> [UInt8] {
  var bytes = log.header.line
  for number in 0..<(input[0] % 5) {
    bytes += (try? log.record(ThreadRecord.archived(at: Int64(number)).content, number: UInt64(number))) ?? []
  }
  var rest = input.dropFirst()
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

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard !input.isEmpty else { return 0 }
  checkContent(input)
  for bytes in [input, log.header.line + input, damagedLog(input)] {
    checkScan(bytes)
    checkAppending(bytes)
  }
  return 0
}
