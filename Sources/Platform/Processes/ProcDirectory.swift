import CPlatform
import Glibc

/// What the kernel tells of another process under `/proc`.
///
/// Everything is opened below one descriptor of the process's own directory. That stays this process's: once it has
/// ended, nothing opens there any more, also when its number goes to another one.
public struct ProcDirectory: Sendable {
  private static let directoryFlags = chappie_open_path() | O_DIRECTORY

  /// The process's number.
  public let processID: Int32
  private let directory: Descriptor
  private let handle: ProcessHandle?

  /// - Parameter processID: the number of the process that `handle` holds.
  /// - Throws: ``FileError/missing`` when the process has ended.
  public init(_ processID: Int32, _ handle: ProcessHandle) throws(FileError) {
    try self.init(path: "/proc/\(processID)", processID, handle: handle)
    // The number was opened while the process still had it: what is open is this process's.
    guard handle.isRunning else { throw .missing }
  }

  /// This process itself.
  public static func own() throws(FileError) -> ProcDirectory {
    try ProcDirectory(path: "/proc/self", getpid(), handle: nil)
  }

  private init(path: String, _ processID: Int32, handle: ProcessHandle?) throws(FileError) {
    self.processID = processID
    directory = try .open(path, Self.directoryFlags)
    self.handle = handle
  }

  /// Whether the process still runs.
  public var isRunning: Bool { handle?.isRunning ?? true }

  /// The content of one of procfs's own files, such as `attr/current`; it cannot block.
  ///
  /// - Throws: ``FileError``.
  public func content(of name: String, limit: Int = 16 << 10) throws(FileError) -> [UInt8] {
    try Self.content(of: name, in: directory, limit: limit)
  }

  /// When the process started, in the kernel's ticks since the machine did. With its number it names a process for
  /// good.
  ///
  /// - Throws: ``FileError``.
  public func startTime() throws(FileError) -> UInt64 {
    // The second field is the program's name in parentheses, which may hold anything, also blanks and parentheses.
    let text = String(decoding: try content(of: "stat"), as: UTF8.self)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 19, let time = UInt64(fields[19]) else { throw .failed("/proc/PID/stat is not understood") }
    return time
  }

  /// The process's user namespace.
  ///
  /// - Throws: ``FileError``; ``FileError/notPermitted`` where this process may not look into the other one.
  public func userNamespace() throws(FileError) -> FileIdentity {
    var status = stat()
    guard fstatat(directory.number, "ns/user", &status, 0) == 0 else { throw FileError(errno: errno) }
    return FileIdentity(status)
  }

  /// What the process has as its root directory. It may block where that is on a file system which the process or its
  /// friends provide.
  ///
  /// - Throws: ``FileError``; ``FileError/notPermitted`` where this process may not look into the other one.
  public func root() throws(FileError) -> Root {
    Root(directory: try .open("root", in: directory, Self.directoryFlags))
  }

  /// The root directory of a process.
  public struct Root: Sendable {
    fileprivate let directory: Descriptor

    /// - Throws: ``FileError``.
    public func identity() throws(FileError) -> FileIdentity {
      FileIdentity(try directory.status())
    }

    /// The content of a regular file in this directory; links are not followed.
    ///
    /// - Throws: ``FileError``.
    public func content(of name: String, limit: Int) throws(FileError) -> [UInt8] {
      try ProcDirectory.content(of: name, in: directory, limit: limit)
    }
  }

  private static func content(of name: String, in directory: Descriptor, limit: Int) throws(FileError) -> [UInt8] {
    try Descriptor.open(name, in: directory, Descriptor.reading | O_NOFOLLOW).content(limit: limit)
  }
}
