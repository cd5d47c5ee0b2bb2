import ChappieSDKRuntime
import GLibBridge

/// What is stored, and how it is changed.
extension ThreadsObject {
  var storeMethods: [String: BusImplementation.Method] {
    [
      "List": { [unowned self] in
        let query = try ChappieThreadQuery(try $0.argument(0, as: VariantDictionary.self))
        return .tuple(try await unlockedStore(for: $0).threads(query).map(\.dictionary))
      },
      "Create": { [unowned self] in
        let options: VariantDictionary = try $0.argument(0)
        let title = try options.value("title", as: String.self).map(Self.checkedTitle) ?? ""
        try await client.exporter.callers.beginsThread($0.sender)
        let store = try await unlockedStore(for: $0)
        try await stored.checkRoom(in: store)
        return .tuple(try await store.create(titled: title))
      },
      "Get": { [unowned self] in
        .tuple(try await json(of: $0.argument(0), in: unlockedStore(for: $0)))
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

  private func json(of id: String, in store: any ChappieThreadStore) async throws -> String {
    let tooLarge = BusError(
      .limitExceeded, "The thread has more than \(Limits.threadBytes >> 20) MiB, which is too much for the bus.")
    if let summary = try await store.summary(of: id), summary.bytes > Limits.threadBytes { throw tooLarge }
    let thread = try await store.thread(id)
    // A large one takes a while, and others want to be answered meanwhile.
    let json = await offActor { thread.json }
    guard json.utf8.count <= Limits.threadBytes else { throw tooLarge }
    return json
  }

  private static func checkedTitle(_ title: String) throws -> String {
    guard title.utf8.count <= Limits.titleBytes, !title.unicodeScalars.contains(where: \.properties.isControl) else {
      throw BusError(
        .invalidArgument, "A title must have at most \(Limits.titleBytes) bytes and no control characters.")
    }
    return title
  }
}
