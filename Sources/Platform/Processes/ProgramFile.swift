import Glibc

/// The executable file of this process. An upgrade replaces it, and a removal deletes it, while the process runs.
public struct ProgramFile: Sendable {
  public let path: String
  private let identity: FileIdentity

  /// Nil if the system does not tell which file this process runs, or if the file is gone already.
  public init?() {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0, let identity = FileIdentity("/proc/self/exe") else { return nil }
    self.path = String(decoding: path.prefix(count), as: UTF8.self)
    self.identity = identity
    if isReplaced { return nil }
  }

  /// Whether the path names another file now, or none.
  public var isReplaced: Bool { FileIdentity(path) != identity }
}
