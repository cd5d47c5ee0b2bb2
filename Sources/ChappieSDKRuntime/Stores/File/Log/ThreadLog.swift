import ChappieSDK
import SecretMemory

/// What the file of a thread says, or the rest of it.
struct ThreadLog {
  private(set) var records: [ThreadRecord] = []
  private(set) var damage: [ChappieThreadDamage] = []
  /// Where the next record goes, in bytes from the start of the file.
  private(set) var end: Int64
  private(set) var nextNumber: UInt64
  /// Whether a record behind ``end`` was being written and is not whole.
  private(set) var isTorn: Bool

  /// The file from its first byte on.
  ///
  /// - Throws: ``ChappieThreadStoreError/unreadable(_:)`` for another version's, and another device's.
  init(_ bytes: [UInt8], sealed log: SealedLog) throws(ChappieThreadStoreError) {
    switch log.header.read(bytes) {
    case .header(let length):
      self.init(bytes, from: length, at: 0, next: 0, log)
    case .damaged:
      self.init(bytes, from: 0, at: 0, next: 0, log)
      if damage.isEmpty { add(damage: 0, 0, "the first line is missing") }
    case .otherVersion:
      throw .unreadable("The thread was stored by another version of this program: use that one to read it.")
    case .otherDevice:
      throw .unreadable("The thread was stored on another device, and can be read there alone.")
    }
  }

  /// The rest of a file.
  ///
  /// - Parameters:
  ///   - offset: where in the file `bytes` begin, which is where a record does.
  ///   - number: that record's number.
  init(rest bytes: [UInt8], at offset: Int64, number: UInt64, sealed log: SealedLog) {
    self.init(bytes, from: 0, at: offset, next: number, log)
  }

  private init(_ bytes: [UInt8], from start: Int, at offset: Int64, next number: UInt64, _ log: SealedLog) {
    let scan = LogScan(bytes, from: start) { frame, body in log.open(body, number: frame.number) }
    end = offset + Int64(scan.end)
    isTorn = scan.end < bytes.count
    nextNumber = number
    for piece in scan.pieces {
      switch piece {
      case .damage(let range):
        add(damage: range.lowerBound, offset, "\(range.count) bytes are no record")
      case .record(let frame, let place, let content):
        read(frame, content, at: offset + Int64(place))
      }
    }
    if isTorn { add(damage: scan.end, offset, "the last record was not written to its end") }
  }

  private mutating func read(_ frame: LogFrame, _ content: [UInt8]?, at offset: Int64) {
    guard frame.number >= nextNumber, frame.number < .max else {
      return add(damage: 0, offset, "record \(frame.number) is there twice, or out of order")
    }
    if frame.number > nextNumber {
      add(damage: 0, offset, "before this, \(frame.number - nextNumber) records are missing")
    }
    guard let record = content.flatMap(ThreadRecord.init) else {
      // What cannot be opened may claim any number.
      if frame.number == nextNumber { nextNumber += 1 }
      return add(damage: 0, offset, "record \(frame.number) was changed, or sealed with another key")
    }
    nextNumber = frame.number + 1
    records.append(record)
  }

  private mutating func add(damage place: Int, _ offset: Int64, _ reason: String) {
    damage.append(ChappieThreadDamage(offset: offset + Int64(place), reason: reason))
  }
}

extension ThreadLog {
  /// Whether there is something, and nothing of it can be read.
  var isUnreadable: Bool { records.isEmpty && !damage.isEmpty }

  var turns: [ChappieTurn] {
    records.compactMap { record in
      if case .turn(let turn, _) = record { turn } else { nil }
    }
  }
}
