/// A thread that a person named.
enum NamedThread {
  /// By its whole id. Whether there is one, the service says.
  case whole(String)
  case listed(ThreadSummary)

  var id: String {
    switch self {
    case .whole(let id): id
    case .listed(let thread): thread.id
    }
  }

  /// As a person knows it, within a sentence.
  var text: String {
    switch self {
    case .whole(let id): ThreadSummary.short(id)
    case .listed(let thread): ThreadSummary.quoted(thread.title)
    }
  }
}
