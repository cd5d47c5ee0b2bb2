import GLibBridge
import Platform

/// A file that the user named for output.
struct OutputFile {
  let path: String
  /// Whether an existing file is replaced.
  let replaces: Bool

  /// Checks that the file can be written, before any request.
  ///
  /// - Throws: ``CommandFailure`` if the file exists, or is no file.
  func check() throws {
    switch FileKind(path) {
    case .nothing, .sink: break
    case .regular, .brokenLink:
      guard !replaces else { return }
      let problem = FileKind(path) == .regular ? "exists already" : "is a broken link"
      throw CommandFailure(.failed, "\(path) \(problem): give --force to replace it.")
    case .directory: throw CommandFailure(.failed, "\(path) is a directory: name a file in it.")
    case .other: throw CommandFailure(.failed, "\(path) is a socket or a device: name a file.")
    }
  }

  /// Writes the whole file.
  ///
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
      throw CommandFailure(.failed, "\(path) cannot be written: its directory does not exist, make it first.")
    } catch {
      throw CommandFailure(.failed, "\(path) cannot be written: \(error).")
    }
  }
}
