import ChappieSDK
import GLibBridge

/// Keeps threads. What a method has returned for is durable.
///
/// The runtime reaches a store through these methods alone: a store of your own that changes or drops what is written
/// passes everything else on to another one.
public protocol ChappieThreadStore: Sendable {
  /// What a thread is called that nobody has named and that goes on with `message`: the beginning of it. Empty leaves
  /// it without a title.
  ///
  /// A store that changes what is written makes the title of what is left of the message; one that passes everything
  /// else on passes this on too.
  func title(for message: ChappieInputMessage) async -> String

  /// Starts a thread without turns. It is the newest then, and so is each thread that gets a turn or a name, or that
  /// is taken back: the store gives it the next ``ChappieThreadSummary/changeNumber``.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func create(_ thread: ChappieThreadSummary) async throws

  /// Records a turn. The thread changed when the turn was recorded, and becomes active where it was archived.
  ///
  /// - Throws: ``ChappieThreadStoreError/noSuchThread(_:)``, the other cases of ``ChappieThreadStoreError``.
  func append(_ turn: ChappieTurn, to thread: String) async throws

  /// A thread with its turns.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func thread(_ id: String) async throws -> ChappieThread

  /// What is known of a thread without reading its turns; nil where this store would have to read them.
  ///
  /// The runtime asks before each turn whether somebody else has added to the thread. A store that need not tell leaves
  /// this out.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func summary(of thread: String) async throws -> ChappieThreadSummary?

  /// What is listed, newest first: in the order of ``ChappieThreadSummary/changeNumber``. Reads no transcript.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary]

  /// Renames a thread, puts it away or takes it back. What it is already changes nothing.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func change(_ thread: String, _ change: ChappieThreadChange) async throws

  /// Deletes a thread for good.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func delete(_ thread: String) async throws

  /// What is used of the cap.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func usage() async throws -> ChappieThreadStoreUsage
}

extension ChappieThreadStore {
  /// Starts a thread now, and returns its id.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  package func create(titled title: String) async throws -> String {
    let now = UnixTime.nowWithMicroseconds
    let thread = ChappieThreadSummary(
      id: UniqueID.make(), title: title, createdAt: now.seconds, updatedAt: now.seconds,
      createdAtMicroseconds: now.microseconds, updatedAtMicroseconds: now.microseconds)
    try await create(thread)
    return thread.id
  }

  public func title(for message: ChappieInputMessage) async -> String { ThreadTitle.make(of: message.text) }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? { nil }
}

/// Which threads to list.
public struct ChappieThreadQuery: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    case active
    case archived
    case all
  }

  public var kind: Kind
  /// At most this many, 1 or more; nil for all.
  public var limit: Int?
  /// Lists what comes behind the place that this thread had when it was the last of the page before, whatever has
  /// become of it.
  public var after: ChappieThreadSummary?

  public init(_ kind: Kind = .active, limit: Int? = nil, after: ChappieThreadSummary? = nil) {
    self.kind = kind
    self.limit = limit
    self.after = after
  }
}

/// What can be changed of a thread.
public enum ChappieThreadChange: Sendable, Hashable {
  case rename(String)
  case archive
  case unarchive
}

/// How full a store is.
public struct ChappieThreadStoreUsage: Sendable, Hashable {
  public let usedBytes: Int64
  /// The cap; nil for none.
  public let limitBytes: Int64?
  /// All threads, the archived ones too.
  public let threadCount: Int
  public let archivedCount: Int
  /// What cannot be read here counts for the cap, and not among the threads.
  public let unreadableCount: Int

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

/// Why a store did not do what it was asked.
public enum ChappieThreadStoreError: Error, Sendable, Hashable {
  case noSuchThread(String)
  /// A thread with this id exists.
  case exists(String)
  /// There is no room: the disk is full, or the cap is reached and nothing may be deleted.
  case full(String)
  /// The keyring or the screen is locked, and the store's protection does not allow reading it now.
  case locked(String)
  /// The keyring that holds the store's key does not answer.
  case keyringUnavailable(String)
  /// The files cannot be read or written.
  case unavailable(String)
  /// Another process writes to this store.
  case busy(String)
  /// The files were made by another version or on another device, or are damaged.
  case unreadable(String)
}

extension ChappieThreadStoreError: LogValue {
  package var logText: String { description }
}

extension ChappieThreadStoreError: CustomStringConvertible {
  /// What happened and what to do, in one sentence.
  public var description: String {
    switch self {
    case .noSuchThread: "There is no such thread: list the threads to see which there are."
    case .exists: "A thread with this id exists already."
    case .full(let text), .locked(let text), .keyringUnavailable(let text), .unavailable(let text), .busy(let text),
      .unreadable(let text):
      text
    }
  }
}
