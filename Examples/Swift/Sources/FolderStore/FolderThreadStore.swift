import ChappieSDK
import ChappieSDKRuntime
import Foundation

/// A store of threads: a folder with a file of JSON for each, without encryption.
public actor FolderThreadStore: ChappieThreadStore {
  private let folder: URL
  private let limit: Int64
  private var summaries: [String: ChappieThreadSummary] = [:]

  public init(folder: URL, limit: Int64 = 256 << 20) throws {
    self.folder = folder
    self.limit = limit
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let thread = try JSONDecoder().decode(ChappieThread.self, from: Data(contentsOf: file))
      summaries[thread.id] = thread.summary
    }
  }

  public func create(_ thread: ChappieThreadSummary) throws {
    guard summaries[thread.id] == nil else { throw ChappieThreadStoreError.exists(thread.id) }
    try write(ChappieThread(summary: thread), changedAt: thread.updatedAt)
  }

  public func append(_ turn: ChappieTurn, to id: String) throws {
    var thread = try thread(id)
    thread.turns.append(turn)
    thread.summary.turnCount += 1
    thread.summary.archivedAt = nil
    try write(thread, changedAt: turn.recordedAt)
  }

  public func undoTurn(of id: String, asking text: String?) throws {
    var thread = try thread(id)
    try thread.removeLastTurn(asking: text)
    try write(thread, changedAt: Date())
  }

  public func change(_ id: String, _ change: ChappieThreadChange) throws {
    let now = Date()
    var thread = try thread(id)
    switch change {
    case .rename(let title) where title != thread.summary.title:
      thread.summary.title = title
      try write(thread, changedAt: now)
    case .archive where !thread.summary.isArchived:
      thread.summary.archivedAt = now
      try write(thread)
    case .unarchive where thread.summary.isArchived:
      thread.summary.archivedAt = nil
      try write(thread, changedAt: now)
    case .rename, .archive, .unarchive: break
    }
  }

  public func thread(_ id: String) throws -> ChappieThread {
    guard summaries[id] != nil else { throw ChappieThreadStoreError.noSuchThread(id) }
    return try JSONDecoder().decode(ChappieThread.self, from: Data(contentsOf: file(id)))
  }

  public func delete(_ id: String) throws {
    guard summaries.removeValue(forKey: id) != nil else { throw ChappieThreadStoreError.noSuchThread(id) }
    try FileManager.default.removeItem(at: file(id))
  }

  public func summary(of id: String) throws -> ChappieThreadSummary? { try thread(id).summary }

  public func threads(_ query: ChappieThreadQuery) -> [ChappieThreadSummary] { query.page(of: Array(summaries.values)) }

  public func usage() -> ChappieThreadStoreUsage {
    ChappieThreadStoreUsage(
      usedBytes: summaries.values.reduce(0) { $0 + $1.bytes }, limitBytes: limit, threadCount: summaries.count,
      archivedCount: summaries.values.count { $0.isArchived })
  }

  private var nextChange: Int64 { (summaries.values.map(\.changeNumber).max() ?? 0) + 1 }

  // An id has only letters, digits and dashes.
  private func file(_ id: String) -> URL { folder.appending(path: id + ".json") }

  /// Writes a thread. A change with a time makes it the newest; the time of the last change never goes back.
  private func write(_ thread: ChappieThread, changedAt time: Date? = nil) throws {
    var thread = thread
    if let time {
      thread.summary.updatedAt = max(thread.summary.updatedAt, time)
      thread.summary.changeNumber = nextChange
    }
    thread.summary.bytes = Int64(try JSONEncoder().encode(thread.turns).count)
    guard usage().usedBytes - (summaries[thread.id]?.bytes ?? 0) + thread.summary.bytes <= limit else {
      throw ChappieThreadStoreError.full("The folder is full: delete threads.")
    }
    try JSONEncoder().encode(thread).write(to: file(thread.id), options: .atomic)
    summaries[thread.id] = thread.summary
  }
}
