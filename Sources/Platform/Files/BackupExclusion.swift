import CPlatform
import Glibc

/// Tells backup programs to leave something out. Each understands another mark, and some file systems take none: what
/// cannot be set is left.
public enum BackupExclusion {
  /// Sets the attribute and the flag of an open file or directory.
  static func mark(_ file: Descriptor) {
    let value = Array("false".utf8)
    fsetxattr(file.number, attribute, value, value.count, 0)
    chappie_set_no_dump(file.number)
  }

  /// Sets the attribute and the flag of a file on which this process has no locks: it is opened, and closed.
  public static func mark(_ name: String, in directory: StorageDirectory) {
    if let file = try? Descriptor.open(directory.path(of: name), Descriptor.reading | O_NOFOLLOW) { mark(file) }
  }

  /// Sets the attribute alone, which needs no file to be opened.
  public static func markUnopened(_ name: String, in directory: StorageDirectory) {
    let value = Array("false".utf8)
    lsetxattr(directory.path(of: name), attribute, value, value.count, 0)
  }

  /// Writes the files by which programs leave out the directory that they are in.
  ///
  /// - Parameter content: what is in the directory, in a sentence for a person who finds the mark.
  /// - Throws: ``FileError``.
  public static func writeMarks(in directory: StorageDirectory, content description: String) throws(FileError) {
    let tag = "\(signature)\n# \(description)\n"
    for (name, content) in [("CACHEDIR.TAG", tag), (".nobackup", "")] {
      guard try !directory.contains(name) else { continue }
      do throws(FileError) {
        try Files.create(Array(content.utf8), at: directory.path(of: name))
      } catch .exists {
        // Another program was faster.
      }
    }
  }

  private static let attribute = "user.xdg.robots.backup"

  /// What a CACHEDIR.TAG begins with: bford.info/cachedir
  private static let signature = "Signature: 8a477f597d28d172789f06886806bc55"
}
