import GLibBridge
import Platform

/// A file that a person named for what is written.
struct NamedFile {
  let path: String
  /// Whether a file that is there already is replaced.
  let replaces: Bool

  /// Finds out before anything is asked for whether something stands in the way.
  ///
  /// - Throws: ``CommandFailure``.
  func check() throws {
    switch FileKind(path) {
    case .nothing, .sink: break
    case .regular, .brokenLink:
      guard !replaces else { return }
      let what = FileKind(path) == .regular ? "there already" : "a link to nothing"
      throw CommandFailure(.failed, "\(path) is \(what): give --force to replace it.")
    case .directory: throw CommandFailure(.failed, "\(path) is a directory: name a file in it.")
    case .other: throw CommandFailure(.failed, "\(path) is a socket or a disk: name a file.")
    }
  }

  /// - Throws: ``CommandFailure``.
  func write(_ text: String) throws {
    try check()
    let bytes = Array(text.utf8)
    do {
      if FileKind(path) == .sink {
        try Files.write(bytes, into: path)
      } else {
        try Files.create(bytes, at: path, replaces: replaces)
      }
    } catch .missing {
      throw CommandFailure(.failed, "\(path) cannot be written: its directory is not there, make it first.")
    } catch {
      throw CommandFailure(.failed, "\(path) cannot be written: \(error).")
    }
  }
}
