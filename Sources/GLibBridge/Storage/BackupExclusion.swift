import CGLib
import Glibc

/// Tells backup programs to leave something out. Each understands another mark, and some file systems take none: what
/// cannot be set is left.
public enum BackupExclusion {
  /// Sets the attribute and the flag of an open file or directory.
  static func mark(_ file: Descriptor) {
    let value = Array("false".utf8)
    fsetxattr(file.number, "user.xdg.robots.backup", value, value.count, 0)
    chappie_set_no_dump(file.number)
  }

  /// Writes the files by which programs leave out the directory that they are in.
  ///
  /// - Parameter content: what is in the directory, in a sentence for a person who finds the mark.
  /// - Throws: ``StorageError``.
  public static func writeMarks(in directory: StorageDirectory, content description: String) throws(StorageError) {
    for (name, content) in [
      (
        "CACHEDIR.TAG",
        "\(signature)\n# \(description)\n"
      ),
      (".nobackup", ""),
    ] where !directory.contains(name) {
      let file = try directory.file(name, for: .replacing)
      try file.write(Array(content.utf8), at: 0, durably: false)
    }
  }

  /// What a CACHEDIR.TAG begins with: bford.info/cachedir
  private static let signature = "Signature: 8a477f597d28d172789f06886806bc55"
}
