import Glibc

/// The executable file of this process. An upgrade replaces it, and a removal deletes it, while the process runs.
public struct ProgramFile: Sendable {
  public let path: String
  private let identity: FileIdentity

  /// Nil if the system does not tell which file this process runs, or if its path leads to another one here, as in
  /// another mount namespace.
  public init?() {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0, let identity = FileIdentity("/proc/self/exe") else { return nil }
    let name = String(decoding: path.prefix(count), as: UTF8.self)
    self.identity = identity
    if name.hasPrefix("/"), name.hasSuffix(Self.deletedMark) {
      // The file was replaced while this process started.
      self.path = String(name.dropLast(Self.deletedMark.count))
    } else {
      self.path = name
      if isReplaced { return nil }
    }
  }

  /// The kernel's mark after the path of a file that is gone.
  private static let deletedMark = " (deleted)"

  /// Whether the path names another file now, or none.
  public var isReplaced: Bool { FileIdentity(path) != identity }
}
