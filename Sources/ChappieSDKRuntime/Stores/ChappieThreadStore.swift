// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A store of threads. When a method returns, its change is durable. Methods may be called concurrently.
///
/// The runtime uses these methods alone. To change or filter stored data, write a store that forwards each call to
/// another store. `ChappieThreadStoreConformance` of `ChappieSDKTesting` checks what is said here.
///
/// An id that no thread has, also one that is no id at all, makes a method that takes one throw
/// ``ChappieThreadStoreError/noSuchThread(_:)``.
public protocol ChappieThreadStore: Sendable {
  /// The title for an untitled thread that continues with `message`: by default the beginning of the text. An empty
  /// title leaves the thread untitled.
  ///
  /// A store that redacts messages makes the title of the redacted message. A store that forwards its calls forwards
  /// this one too.
  func title(for message: ChappieInputMessage) async -> String

  /// Creates a thread without turns, with the times and the title of `thread`.
  ///
  /// This, a new turn, the removal of one, a new title and unarchiving each make a thread the newest: the store sets the
  /// next ``ChappieThreadSummary/changeNumber``, which no other thread has. Archiving does not.
  ///
  /// - Throws: ``ChappieThreadStoreError/exists(_:)`` if there is a thread with this id, which stays as it is; other
  ///   cases of ``ChappieThreadStoreError``.
  func create(_ thread: ChappieThreadSummary) async throws

  /// Adds a turn at the end of a thread. An archived thread becomes active. The time of the turn becomes that of the
  /// thread's last change, but no earlier time replaces a later one: a clock that was set back changes the order of
  /// ``ChappieThreadSummary/changeNumber`` alone.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func append(_ turn: ChappieTurn, to thread: String) async throws

  /// Removes the last turn of a thread for good, whether it succeeded or not, with a summary that was stored in it. An
  /// archived thread stays archived.
  ///
  /// - Parameter text: the text of the message that the turn must have, so that no turn of another program is removed;
  ///   nil for any turn. A store that redacts messages redacts this text too.
  /// - Throws: `ChappieClientError.invalidArgument` if the thread has no turn, its last one is a summary alone, or the
  ///   message is another one: ``ChappieThread/removeLastTurn(asking:)`` checks this; ``ChappieThreadStoreError``.
  func undoTurn(of thread: String, asking text: String?) async throws

  /// Reads a thread, archived or not, with its turns in their order, each as it was recorded.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func thread(_ id: String) async throws -> ChappieThread

  /// The summary of a thread, as ``threads(_:)`` lists it; nil if the store would have to read the turns for it.
  ///
  /// Before each turn the runtime uses the summary to find out whether another program has changed the thread. The
  /// default implementation returns nil.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func summary(of thread: String) async throws -> ChappieThreadSummary?

  /// Lists threads by ``ChappieThreadSummary/changeNumber``, the newest first, as ``ChappieThreadQuery/page(of:)`` selects
  /// them. It reads no turns.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary]

  /// Renames, archives or unarchives a thread. A change that has no effect leaves the summary as it is. Renaming and
  /// unarchiving set the time of the last change, unless it is later already; archiving sets
  /// ``ChappieThreadSummary/archivedAt`` alone.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func change(_ thread: String, _ change: ChappieThreadChange) async throws

  /// Deletes a thread for good. A new thread may get its id, and has none of its turns.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func delete(_ thread: String) async throws

  /// The size of the store.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func usage() async throws -> ChappieThreadStoreUsage
}

extension ChappieThreadStore {
  /// Creates a thread with a new id and the current time, and returns the id.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  package func create(titled title: String) async throws -> String {
    let now = UnixTime.nowWithMicroseconds
    let thread = ChappieThreadSummary(
      id: UniqueID.make(), title: title, createdAtSeconds: now.seconds, updatedAtSeconds: now.seconds,
      createdAtMicroseconds: now.microseconds, updatedAtMicroseconds: now.microseconds)
    try await create(thread)
    return thread.id
  }

  public func title(for message: ChappieInputMessage) async -> String { ThreadTitle.make(of: message.text) }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? { nil }
}

/// A query for a list of threads.
public struct ChappieThreadQuery: Sendable, Hashable {
  /// The threads to list.
  public enum Kind: Sendable, Hashable {
    /// Threads that are not archived.
    case active
    /// Archived threads.
    case archived
    /// Both.
    case all
  }

  /// The threads to list.
  public var kind: Kind
  /// The most threads, 1 or more; nil for all.
  public var limit: Int?
  /// The last thread of the previous page, as it was listed there. The query lists the threads after its place, even if
  /// the thread has changed or is gone. Nil for the first page.
  public var after: ChappieThreadSummary?

  /// Creates a query.
  public init(_ kind: Kind = .active, limit: Int? = nil, after: ChappieThreadSummary? = nil) {
    self.kind = kind
    self.limit = limit
    self.after = after
  }
}

/// A change of a thread that adds no turn.
public enum ChappieThreadChange: Sendable, Hashable {
  /// A new title; an empty one lets the next message name the thread.
  case rename(String)
  /// Archives the thread. An archived thread stays as it is.
  case archive
  /// Makes the thread active again. An active thread stays as it is.
  case unarchive
}

/// The size of a store.
public struct ChappieThreadStoreUsage: Sendable, Hashable {
  /// The size of all threads, in bytes, which each turn increases and each deletion decreases; 0 in a store that counts
  /// no sizes.
  public let usedBytes: Int64
  /// The most that all threads may take, in bytes, more than 0; nil for a store without a limit.
  public let limitBytes: Int64?
  /// The number of readable threads, including archived ones.
  public let threadCount: Int
  /// The number of archived threads.
  public let archivedCount: Int
  /// The number of threads that cannot be read on this device. Their size counts for the limit.
  public let unreadableCount: Int

  /// Creates the answer of a store of your own.
  public init(
    usedBytes: Int64, limitBytes: Int64?, threadCount: Int, archivedCount: Int, unreadableCount: Int = 0
  ) {
    self.usedBytes = usedBytes
    self.limitBytes = limitBytes
    self.threadCount = threadCount
    self.archivedCount = archivedCount
    self.unreadableCount = unreadableCount
  }
}

/// An error of a thread store. A value of a case is a sentence for a person, or the id of the thread.
public enum ChappieThreadStoreError: Error, Sendable, Hashable {
  /// No thread has this id.
  case noSuchThread(String)
  /// A thread with this id exists already.
  case exists(String)
  /// The disk is full, or the limit is reached and no thread may be deleted.
  case full(String)
  /// The keyring or the screen is locked, and the store's file protection forbids access now.
  case locked(String)
  /// The keyring, which holds the store's key, does not answer.
  case keyringUnavailable(String)
  /// The files cannot be read or written.
  case unavailable(String)
  /// Another process was writing to this store for too long.
  case busy(String)
  /// The files are damaged, or another version or another device wrote them.
  case unreadable(String)
}

extension ChappieThreadStoreError: LogValue {
  package var logText: String { description }
}

extension ChappieThreadStoreError: CustomStringConvertible {
  /// The error and its remedy, in one sentence for a person.
  public var description: String {
    switch self {
    case .noSuchThread: en("There is no such thread: list the threads to see which there are.")
    case .exists: "A thread with this id exists already."
    case .full(let text), .locked(let text), .keyringUnavailable(let text), .unavailable(let text), .busy(let text),
      .unreadable(let text):
      text
    }
  }
}

extension ChappieThreadStoreError {
  /// Wraps any error of a store; a ``ChappieThreadStoreError`` stays as it is.
  package init(_ error: any Error) {
    self = error as? ChappieThreadStoreError ?? .unavailable("The store failed: \(error)")
  }
}

/// The syntax of thread ids. An id is safe in a file path, in an object path and on a command line.
package enum ThreadID {
  /// Whether `id` is 1 to 64 of the characters `a` to `z`, `0` to `9` and `-`.
  package static func isValid(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy {
        $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
      }
  }
}

extension ChappieThreadQuery {
  /// The page of `all` that this query asks for: a helper for stores that have all summaries in memory.
  public func page(of all: [ChappieThreadSummary]) -> [ChappieThreadSummary] {
    var listed = all.filter { kind.lists($0) }
    if let after { listed.removeAll { !after.isListed(before: $0) } }
    listed.sort { $0.isListed(before: $1) }
    return limit.map { Array(listed.prefix(max(1, $0))) } ?? listed
  }
}

extension ChappieThreadQuery.Kind {
  func lists(_ thread: ChappieThreadSummary) -> Bool {
    switch self {
    case .active: !thread.isArchived
    case .archived: thread.isArchived
    case .all: true
    }
  }
}

extension ChappieThreadSummary {
  /// Whether this thread is newer. The change number decides, because a clock can be set back. Threads of an older
  /// version have no number, so their times decide.
  func isListed(before other: ChappieThreadSummary) -> Bool {
    guard changeNumber == other.changeNumber else { return changeNumber > other.changeNumber }
    return (updatedAtSeconds, updatedAtMicroseconds, createdAtSeconds, createdAtMicroseconds, id)
      > (
        other.updatedAtSeconds, other.updatedAtMicroseconds, other.createdAtSeconds, other.createdAtMicroseconds,
        other.id
      )
  }
}

/// Changes of a thread's summary, for every store.
extension ChappieThreadSummary {
  /// Adds a turn, except for its size.
  ///
  /// - Parameter number: the change number of the store.
  mutating func add(_ turn: ChappieTurn, number: Int64) {
    turnCount = (Count(clamping: turnCount) + 1).value
    archivedAtSeconds = nil
    changed(at: turn.recordedAtSeconds, microseconds: turn.recordedAtMicroseconds, number)
  }

  /// Removes a turn, except for its size.
  ///
  /// - Parameters:
  ///   - time: Unix seconds.
  ///   - number: the change number of the store.
  mutating func removeTurn(at time: Int64, number: Int64) {
    turnCount = max(0, turnCount - 1)
    changed(at: time, number)
  }

  /// Applies `change`, except for the size. A summary that is already so stays as it is.
  ///
  /// - Parameters:
  ///   - time: Unix seconds.
  ///   - number: the change number of the store.
  mutating func apply(_ change: ChappieThreadChange, at time: Int64, number: Int64) {
    switch change {
    case .rename(let title) where title != self.title: self.title = title
    case .archive where !isArchived:
      archivedAtSeconds = time
      return
    // Without a new time, retention would archive it again at once.
    case .unarchive where isArchived: archivedAtSeconds = nil
    case .rename, .archive, .unarchive: return
    }
    changed(at: time, number)
  }

  mutating func resize(adding bytes: Int, removing others: Int = 0) {
    self.bytes = Int64((Count(clamping: self.bytes) + Count(clamping: bytes) - Count(clamping: others)).value)
  }

  private mutating func changed(at time: Int64, microseconds: Int32 = 0, _ number: Int64) {
    if (time, microseconds) > (updatedAtSeconds, updatedAtMicroseconds) {
      (updatedAtSeconds, updatedAtMicroseconds) = (time, microseconds)
    }
    changeNumber = max(changeNumber, number)
  }
}
