// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension Verb {
  /// `chappie threads`: manages stored conversations.
  static let threads = Verb(
    "threads", tr("List, show and manage stored conversations"),
    details: tr("Without a command, the threads are listed."),
    verbs: [
      threadList, threadSearch, threadShow, threadExport, threadRename, threadArchive, threadUnarchive, threadDelete,
      threadUndo, threadUsage, threadCompact,
    ], account, archived, limit, jsonLines, work: list)

  private static let threadList = Verb(
    "list", tr("List the threads, the latest change first"), account, archived, limit, jsonLines, work: list)

  @Sendable
  private static func list(account: String?, archived: Bool, limit: Int?, json: Bool) -> Work {
    Work.onThreads(of: account, json: json) { threads in
      guard !json else {
        return try await threads.list(archived: archived, limit: limit) { page in
          for thread in page { StandardStream.output.line(thread.json.line) }
          return true
        }
      }
      let listed = try await threads.all(archived: archived, limit: limit)
      let none =
        archived ? tr("No thread is archived.") : tr("There are no threads: chappie ask --thread new begins one.")
      StandardStream.output.write(listed.isEmpty ? none + "\n" : ThreadSummary.table(listed))
    }
  }

  private static let threadShow = Verb(
    "show", tr("Show the messages of a thread"), details: ThreadsProxy.naming, account, raw,
    words(ThreadsProxy.placeholder)
  ) { account, raw, words in
    let name = try words.thread()
    return Work.onThreads(of: account) { threads in
      let id = try await threads.id(name)
      let thread = try await Spinner.show(tr("Reading the thread…")) { try await threads.thread(id) }
      StandardStream.output.write(controlSequences: ThreadText(raw: raw).text(thread))
    }
  }

  private static let threadRename = Verb(
    "rename", tr("Give a thread another title"),
    details: tr("With an empty TITLE, the next message names the thread.") + " " + ThreadsProxy.naming,
    account, words(tr("\(ThreadsProxy.placeholder) TITLE…"))
  ) { account, words in
    let (name, title) = try words.threadAndText()
    guard let title else { throw CommandLineError(tr("Which title is the thread to have?")) }
    return Work.onThreads(of: account) { threads in
      try await threads.call("Rename", .tuple(try await threads.id(name), title))
      StandardStream.output.line(
        title.isEmpty ? tr("The next message names the thread.") : tr("Renamed to \(ThreadSummary.quoted(title))."))
    }
  }

  private static let threadArchive = changing(
    "archive", tr("Archive threads; retention deletes them later"), details: ThreadsProxy.naming,
    by: { try await $0.call("Archive", .tuple($1)) }
  ) { tr("Archived \($0).") }

  private static let threadUnarchive = changing(
    "unarchive", tr("Make archived threads active again"),
    details: tr("THREAD is an id, the beginning of one, or “last” for the archived one that changed last."),
    by: { try await $0.call("Unarchive", .tuple($1)) }, lastIsArchived: true
  ) { tr("Unarchived \($0).") }

  private static let threadUndo = changing(
    "undo", tr("Remove the last message of threads, and its answer"), details: ThreadsProxy.naming,
    by: { try await $0.undoTurn($1) }
  ) { tr("Removed the last message of \($0), and its answer.") }

  /// A verb that changes each of some threads.
  ///
  /// - Parameter told: the sentence about a thread that is done.
  private static func changing(
    _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String,
    details: @autoclosure @escaping @Sendable () -> String,
    by change: @escaping @GLibActor @Sendable (ThreadsProxy, String) async throws -> Void, lastIsArchived: Bool = false,
    _ told: @escaping @Sendable (String) -> String
  ) -> Verb {
    Verb(name, summary(), details: details(), account, words("\(ThreadsProxy.placeholder)…")) { account, words in
      let names = try words.threads()
      return Work.onThreads(of: account) { threads in
        for thread in try await threads.find(names, lastIsArchived: lastIsArchived) {
          try await change(threads, thread.id)
          StandardStream.output.line(told(thread.text))
        }
      }
    }
  }

  private static let threadUsage = Verb("usage", tr("Show how much space the threads take"), account, json) {
    account, json in
    Work.onThreads(of: account, json: json) { threads in
      let usage = try await threads.usage()
      StandardStream.output.write(json ? usage.json.line + "\n" : usage.text)
    }
  }

  private static let threadCompact = Verb(
    "compact", tr("Summarise a long thread for the model"),
    details: tr(
      """
      From then on the model reads SUMMARY in place of the earlier messages, which stay stored. Without SUMMARY the model \
      writes one. \(ThreadsProxy.naming)
      """),
    account, words(tr("\(ThreadsProxy.placeholder) [SUMMARY…]"))
  ) { account, words in
    let (name, text) = try words.threadAndText()
    return Work { service in
      // The user's own summary needs no model, and so no sign-in.
      let threads =
        if let text, !text.isEmpty {
          try await ThreadsProxy.stored(service, account: account)
        } else {
          try await ThreadsProxy(service, account: account)
        }
      try await threads.compact(try await threads.id(name), text ?? "")
      StandardStream.output.line(tr("The model reads a summary from now on."))
    }
  }
}

extension Verb.Work {
  /// Work on the stored threads of an account, which succeeds unless it throws.
  static func onThreads(
    of account: String?, json: Bool = false, _ run: @escaping @GLibActor @Sendable (ThreadsProxy) async throws -> Void
  ) -> Verb.Work {
    Verb.Work(json: json) { service in try await run(try await ThreadsProxy.stored(service, account: account)) }
  }
}

extension Verb {
  /// `chappie threads delete`: deletes threads.
  static let threadDelete = Verb(
    "delete", tr("Delete threads for good"),
    details: tr(
      """
      --all deletes every thread of the account, archived or not, and the key that encrypts them. It works even if that \
      key is damaged or missing. \(ThreadsProxy.naming)
      """),
    account, flag("all", tr("All threads, and their key")), asks, words("\(ThreadsProxy.placeholder)…")
  ) { account, all, asks, words in
    guard all else {
      let names = try words.threads()
      return Work.onThreads(of: account) { threads in
        try await delete(try await threads.find(names), of: threads, asks: asks)
      }
    }
    try words.refuseThread()
    return Work.onThreads(of: account) { threads in try await deleteAll(of: threads, account, asks: asks) }
  }

  @GLibActor
  private static func delete(_ found: [ThreadReference], of threads: ThreadsProxy, asks: Bool) async throws {
    if asks {
      var titles: [String] = []
      for thread in found {
        let summary = if let summary = thread.summary { summary } else { try await threads.summary(thread.id) }
        titles.append(ThreadSummary.quoted(summary.title))
      }
      let question = tr("Delete \(titles.joined(separator: ", ")) for good?")
      try await Confirmation.ask(question, refused: tr("Nothing was deleted."))
    }
    for thread in found {
      try await threads.call("Delete", .tuple(thread.id))
      StandardStream.output.line(tr("Deleted \(thread.text)."))
    }
  }

  @GLibActor
  private static func deleteAll(of threads: ThreadsProxy, _ account: String?, asks: Bool) async throws {
    if asks {
      let whose = account.map { tr("the account “\($0.terminalSafeLine)”") } ?? tr("this account")
      let question = tr("Delete every thread of \(whose), and their key, for good?")
      try await Confirmation.ask(question, refused: tr("Nothing was deleted."))
    }
    try await threads.call("DeleteAll")
    StandardStream.output.line(tr("Deleted every thread, and their key."))
  }
}
