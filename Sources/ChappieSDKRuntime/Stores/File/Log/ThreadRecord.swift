import ChappieSDK
import GLibBridge

/// What happened to a thread, as its log keeps it. FORMAT.md has the JSON.
enum ThreadRecord: Equatable {
  case created(ChappieThreadSummary)
  case turn(ChappieTurn)
  case renamed(String, at: Int64)
  case archived(at: Int64)
  case unarchived(at: Int64)
  /// Of a kind that this version does not know: it is kept and passed over.
  case other

  var content: [UInt8] {
    JSON(json).encoded
  }

  private var json: ChappieJSONValue {
    switch self {
    case .created(let summary): ["kind": "created", "summary": summary.jsonValue]
    case .turn(let turn): ["kind": "turn", "turn": turn.jsonValue]
    case .renamed(let title, let time): ["kind": "renamed", "title": .string(title), "at": .integer(time)]
    case .archived(let time): ["kind": "archived", "at": .integer(time)]
    case .unarchived(let time): ["kind": "unarchived", "at": .integer(time)]
    case .other: [:]
    }
  }

  /// Nil when `content` is no record.
  init?(_ content: [UInt8]) {
    guard let json = try? ChappieJSONValue(JSON(parsing: content)), let kind = json["kind"]?.stringValue else {
      return nil
    }
    let time = json["at"]?.integerValue
    switch kind {
    case "created":
      guard let summary = json["summary"].flatMap({ try? ChappieThreadSummary(jsonValue: $0) }) else { return nil }
      self = .created(summary)
    case "turn":
      guard let turn = json["turn"].flatMap({ try? ChappieTurn(jsonValue: $0) }) else { return nil }
      self = .turn(turn)
    case "renamed":
      guard let time, let title = json["title"]?.stringValue else { return nil }
      self = .renamed(title, at: time)
    case "archived":
      guard let time else { return nil }
      self = .archived(at: time)
    case "unarchived":
      guard let time else { return nil }
      self = .unarchived(at: time)
    default: self = .other
    }
  }
}

extension ThreadRecord {
  /// What `change` adds to a thread that is as `summary` says; nil where it is that already.
  init?(_ change: ChappieThreadChange, of summary: ChappieThreadSummary, at time: Int64) {
    switch change {
    case .rename(let title) where title != summary.title: self = .renamed(title, at: time)
    case .archive where !summary.isArchived: self = .archived(at: time)
    case .unarchive where summary.isArchived: self = .unarchived(at: time)
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
      updatedAt = summary.updatedAt
      archivedAt = summary.archivedAt
    case .turn(let turn):
      turnCount += 1
      updatedAt = max(updatedAt, turn.recordedAt)
      archivedAt = nil
    case .renamed(let title, let time):
      self.title = title
      updatedAt = max(updatedAt, time)
    case .archived(let time): archivedAt = time
    case .unarchived(let time):
      archivedAt = nil
      // Else it would be put away again at once.
      updatedAt = max(updatedAt, time)
    case .other: break
    }
  }
}
