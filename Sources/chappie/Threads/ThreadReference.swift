/// A thread that the user named on the command line.
enum ThreadReference {
  /// By its whole id. The thread may not exist.
  case whole(String)
  /// By the beginning of its id, or as the last one.
  case listed(ThreadSummary)

  var id: String {
    switch self {
    case .whole(let id): id
    case .listed(let thread): thread.id
    }
  }

  /// The name of the thread in a message.
  var text: String {
    switch self {
    case .whole(let id): ThreadSummary.short(id)
    case .listed(let thread): ThreadSummary.quoted(thread.title)
    }
  }
}
