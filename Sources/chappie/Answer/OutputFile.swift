// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A file that the user named for output.
struct OutputFile {
  let path: String
  /// Whether an existing file is replaced.
  let replaces: Bool

  /// Checks that the file can be written, before any request.
  ///
  /// - Throws: ``CommandFailure`` if the file exists, is no file, or has no directory.
  func check() throws(CommandFailure) {
    switch FileKind(path) {
    case .sink: break
    case .nothing: guard FileKind(directory) == .directory else { throw withoutDirectory }
    case .regular, .brokenLink:
      guard !replaces else { return }
      throw CommandFailure(
        .failed,
        FileKind(path) == .regular
          ? tr("\(path) exists already: give --force to replace it.")
          : tr("\(path) is a broken link: give --force to replace it."))
    case .directory: throw CommandFailure(.failed, tr("\(path) is a directory: name a file in it."))
    case .other: throw CommandFailure(.failed, tr("\(path) is a socket or a device: name a file."))
    }
  }

  /// Writes the whole file.
  ///
  /// - Throws: ``CommandFailure``.
  func write(_ text: String) throws(CommandFailure) {
    try check()
    let bytes = Array(text.utf8)
    do {
      if FileKind(path) == .sink {
        try Files.write(bytes, into: path)
      } else {
        try Files.create(bytes, at: path, replaces: replaces)
      }
    } catch .missing {
      throw withoutDirectory
    } catch {
      throw CommandFailure(.failed, tr("\(path) cannot be written: \(error)."))
    }
  }

  private var directory: String { Directories.absolutePath(path + "/..") }

  private var withoutDirectory: CommandFailure {
    CommandFailure(.failed, tr("\(path) cannot be written: its directory does not exist, make it first."))
  }
}
