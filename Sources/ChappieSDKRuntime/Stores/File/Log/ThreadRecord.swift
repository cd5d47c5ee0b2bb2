import ChappieSDK
import GLibBridge

/// What happened to a thread, as its log keeps it. FORMAT.md has the JSON.
enum ThreadRecord: Equatable {
  case created(ChappieThreadSummary)
  case turn(ChappieTurn, number: Int64)
  case renamed(String, at: Int64, number: Int64)
  case archived(at: Int64)
  case unarchived(at: Int64, number: Int64)
  /// Of a kind that this version does not know: it is kept and passed over.
  case other

  var content: [UInt8] {
    JSON(json).encoded
  }

  private var json: ChappieJSONValue {
    switch self {
    case .created(let summary): ["kind": "created", "summary": summary.jsonValue]
    case .turn(let turn, let number): ["kind": "turn", "turn": turn.jsonValue, "number": .integer(number)]
    case .renamed(let title, let time, let number):
      ["kind": "renamed", "title": .string(title), "at": .integer(time), "number": .integer(number)]
    case .archived(let time): ["kind": "archived", "at": .integer(time)]
    case .unarchived(let time, let number):
      ["kind": "unarchived", "at": .integer(time), "number": .integer(number)]
    case .other: [:]
    }
  }

  /// Nil when `content` is no record.
  init?(_ content: [UInt8]) {
    guard let json = try? ChappieJSONValue(JSON(parsing: content)), let kind = json["kind"]?.stringValue else {
      return nil
    }
    let time = json["at"]?.integerValue
    // Older versions did not count.
    let number = json["number"]?.integerValue ?? 0
    switch kind {
    case "created":
      guard let summary = json["summary"].flatMap({ try? ChappieThreadSummary(jsonValue: $0) }) else { return nil }
      self = .created(summary)
    case "turn":
      guard let turn = json["turn"].flatMap({ try? ChappieTurn(jsonValue: $0) }) else { return nil }
      self = .turn(turn, number: number)
    case "renamed":
      guard let time, let title = json["title"]?.stringValue else { return nil }
      self = .renamed(title, at: time, number: number)
    case "archived":
      guard let time else { return nil }
      self = .archived(at: time)
    case "unarchived":
      guard let time else { return nil }
      self = .unarchived(at: time, number: number)
    default: self = .other
    }
  }
}

extension ThreadRecord {
  /// What `change` adds to a thread that is as `summary` says; nil where it is that already.
  ///
  /// - Parameter number: the store's number for it.
  init?(_ change: ChappieThreadChange, of summary: ChappieThreadSummary, at time: Int64, number: Int64) {
    switch change {
    case .rename(let title) where title != summary.title: self = .renamed(title, at: time, number: number)
    case .archive where !summary.isArchived: self = .archived(at: time)
    case .unarchive where summary.isArchived: self = .unarchived(at: time, number: number)
    case .rename, .archive, .unarchive: return nil
    }
  }
}

extension ChappieThreadSummary {
  /// What the summary is after `record`, but for its size.
  mutating func apply(_ record: ThreadRecord) {
    switch record {
    case .created(let summary):
      title = summary.title
      createdAt = summary.createdAt
      createdAtMicroseconds = summary.createdAtMicroseconds
      updatedAt = summary.updatedAt
      updatedAtMicroseconds = summary.updatedAtMicroseconds
      archivedAt = summary.archivedAt
      changeNumber = summary.changeNumber
    case .turn(let turn, let number):
      turnCount += 1
      archivedAt = nil
      changed(at: turn.recordedAt, microseconds: turn.recordedAtMicroseconds, number)
    case .renamed(let title, let time, let number):
      self.title = title
      changed(at: time, number)
    case .archived(let time): archivedAt = time
    case .unarchived(let time, let number):
      archivedAt = nil
      // Else it would be put away again at once.
      changed(at: time, number)
    case .other: break
    }
  }

  private mutating func changed(at time: Int64, microseconds: Int32 = 0, _ number: Int64) {
    if (time, microseconds) > (updatedAt, updatedAtMicroseconds) {
      (updatedAt, updatedAtMicroseconds) = (time, microseconds)
    }
    changeNumber = max(changeNumber, number)
  }
}
