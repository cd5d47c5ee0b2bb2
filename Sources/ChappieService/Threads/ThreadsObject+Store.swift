// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The methods that read and change stored threads.
extension ThreadsObject {
  var storeMethods: [String: BusImplementation.Method] {
    [
      "List": { [unowned self] in
        let filter: VariantDictionary = try $0.argument(0)
        let (query, isTitled) = (try ChappieThreadQuery(filter), try filter.value("titles") ?? true)
        return .tuple(try await unlockedStore(for: $0).threads(query).map { $0.dictionary(isTitled: isTitled) })
      },
      "Create": { [unowned self] in
        let options: VariantDictionary = try $0.argument(0)
        let title = try options.value("title", as: String.self).map(Self.checkedTitle) ?? ""
        try await client.environment.callers.beginsThread($0.sender)
        let store = try await unlockedStore(for: $0)
        try await stored.checkRoom(in: store)
        return .tuple(try await store.create(titled: title))
      },
      "Get": { [unowned self] in
        try await json(of: $0.argument(0), in: unlockedStore(for: $0), for: $0.sender)
      },
      "Rename": { [unowned self] in try await change($0, .rename(Self.checkedTitle($0.argument(1)))) },
      "Archive": { [unowned self] in try await change($0, .archive) },
      "Unarchive": { [unowned self] in try await change($0, .unarchive) },
      "Delete": { [unowned self] in
        try await unlockedStore(for: $0).delete($0.argument(0))
        return .tuple()
      },
      "DeleteAll": { [unowned self] in
        _ = try await unlockedStore(for: $0)
        try await stored.deleteAll(from: files)
        return .tuple()
      },
      "GetUsage": { [unowned self] in
        .tuple(try await unlockedStore(for: $0).usage().dictionary)
      },
    ]
  }

  private func change(_ call: BusCall, _ change: ChappieThreadChange) async throws -> Variant {
    try await unlockedStore(for: call).change(call.argument(0), change)
    return .tuple()
  }

  private func json(of id: String, in store: any ChappieThreadStore, for caller: String) async throws -> Variant {
    let bytes = try await Self.checkedSize(of: id, in: store)
    let memory = client.environment.memory
    let application = await client.environment.callers.application(of: caller)
    let lease = try memory.lease(MemoryBudget.callOverhead + MemoryBudget.replyFactor * bytes, for: application)
    defer { memory.end(lease) }
    let thread = try await store.thread(id)
    // Encoding a large thread takes long, and the actor has other callers to answer.
    let json = await offActor { thread.json }
    return .tuple(json)
  }

  /// The stored size of a thread in bytes; 0 if it does not exist.
  ///
  /// - Throws: `BusError` with `LimitExceeded` if the thread is too large to be read as a whole;
  ///   `ChappieThreadStoreError`.
  static func checkedSize(of id: String, in store: any ChappieThreadStore) async throws -> Int {
    let bytes = Int(clamping: try await store.summary(of: id)?.bytes ?? 0)
    guard bytes <= Limits.threadBytes else {
      throw BusError(
        .limitExceeded, "The thread has more than \(Limits.threadBytes >> 20) MiB: begin another one.")
    }
    return bytes
  }

  private static func checkedTitle(_ title: String) throws -> String {
    guard title.utf8.count <= Limits.titleBytes, !title.unicodeScalars.contains(where: \.properties.isControl) else {
      throw BusError(
        .invalidArgument, "A title must have at most \(Limits.titleBytes) bytes and no control characters.")
    }
    return title
  }
}
