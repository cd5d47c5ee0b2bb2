// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc

/// Excludes files and directories from backups. Backup programs use different marks, and some file systems do not
/// support all of them: a mark that cannot be set is skipped.
public enum BackupExclusion {
  /// Marks an open file or directory with the extended attribute and the no-dump flag.
  static func mark(_ file: Descriptor) {
    let value = Array("false".utf8)
    fsetxattr(file.number, attribute, value, value.count, 0)
    chappie_set_no_dump(file.number)
  }

  /// Marks a file with the extended attribute and the no-dump flag. This opens and closes the file, which releases all
  /// POSIX locks that this process holds on it.
  public static func mark(_ name: String, in directory: StorageDirectory) {
    if let file = try? Descriptor.open(directory.path(of: name), Descriptor.reading | O_NOFOLLOW) { mark(file) }
  }

  /// Marks a file with the extended attribute only, without opening it.
  public static func markUnopened(_ name: String, in directory: StorageDirectory) {
    let value = Array("false".utf8)
    lsetxattr(directory.path(of: name), attribute, value, value.count, 0)
  }

  /// Writes the files that tell backup programs to skip a directory.
  ///
  /// - Parameter content: one sentence that tells a person what the directory contains.
  /// - Throws: ``FileError``.
  public static func writeMarks(in directory: StorageDirectory, content description: String) throws(FileError) {
    let tag = "\(signature)\n# \(description)\n"
    for (name, content) in [("CACHEDIR.TAG", tag), (".nobackup", "")] {
      guard try !directory.contains(name) else { continue }
      do throws(FileError) {
        try Files.create(Array(content.utf8), at: directory.path(of: name))
      } catch .exists {
        // Another process has just created it.
      }
    }
  }

  private static let attribute = "user.xdg.robots.backup"

  /// The first line of each CACHEDIR.TAG, see https://bford.info/cachedir/.
  private static let signature = "Signature: 8a477f597d28d172789f06886806bc55"
}
