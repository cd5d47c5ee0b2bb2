// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc

/// The directory of a process under `/proc`.
///
/// All files are opened relative to one descriptor of that directory. The descriptor stays bound to the process: once
/// the process has ended, nothing can be opened there, even if another process gets its process ID.
public struct ProcDirectory: Sendable {
  private static let directoryFlags = chappie_open_path() | O_DIRECTORY

  /// The process ID.
  public let processID: Int32
  private let directory: Descriptor
  private let handle: ProcessHandle?

  /// - Parameter processID: the ID of the process that `handle` refers to.
  /// - Throws: ``FileError/missing`` when the process has ended.
  public init(_ processID: Int32, _ handle: ProcessHandle) throws(FileError) {
    try self.init(path: "/proc/\(processID)", processID, handle: handle)
    // The process still runs, so its ID was not reused: the open directory belongs to it.
    guard handle.isRunning else { throw .missing }
  }

  /// The directory of this process.
  ///
  /// - Throws: ``FileError``.
  public static func own() throws(FileError) -> ProcDirectory {
    try ProcDirectory(path: "/proc/self", getpid(), handle: nil)
  }

  private init(path: String, _ processID: Int32, handle: ProcessHandle?) throws(FileError) {
    self.processID = processID
    directory = try .open(path, Self.directoryFlags)
    self.handle = handle
  }

  /// Whether the process still runs. Always true for ``own()``.
  public var isRunning: Bool { handle?.isRunning ?? true }

  /// Reads a file that procfs itself provides, such as `attr/current`. This cannot block.
  ///
  /// - Parameter limit: the longest content, in bytes.
  /// - Throws: ``FileError``; ``FileError/tooLarge(limit:)`` above the limit.
  public func content(of name: String, limit: Int = 16 << 10) throws(FileError) -> [UInt8] {
    try Descriptor.open(name, in: directory, Descriptor.reading | O_NOFOLLOW).content(limit: limit)
  }

  /// What the kernel tells of a process at one moment.
  public struct Status: Sendable {
    /// The time at which the process started, in clock ticks since boot. Together with the process ID it identifies a
    /// process for as long as the machine runs.
    public let startTime: UInt64
    /// Whether the process belongs to the job that has its terminal, and not to one in the background of a shell. False
    /// without a terminal.
    public let isInForeground: Bool

    /// Nil for another format.
    init?(_ stat: [UInt8]) {
      // The second field is the program's name in parentheses, of any bytes, as of spaces and parentheses.
      guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
      let fields = stat[(end + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        .map { String(decoding: $0, as: UTF8.self) }
      guard fields.count > 19, let time = UInt64(fields[19]) else { return nil }
      startTime = time
      // Its process group, and that of the foreground of its terminal, which is -1 without one.
      isInForeground = Int32(fields[5]).map { $0 > 0 && fields[2] == "\($0)" } ?? false
    }
  }

  /// Reads the file `stat`.
  ///
  /// - Throws: ``FileError``.
  public func status() throws(FileError) -> Status {
    guard let status = Status(try content(of: "stat")) else { throw .failed("/proc/PID/stat has an unknown format") }
    return status
  }

  /// The identity of the process's user namespace.
  ///
  /// - Throws: ``FileError``; ``FileError/notPermitted`` when this process may not inspect the other one.
  public func userNamespace() throws(FileError) -> FileIdentity {
    var status = stat()
    guard fstatat(directory.number, "ns/user", &status, 0) == 0 else { throw FileError(errno: errno) }
    return FileIdentity(status)
  }

  /// The root directory of the process. Opening it may block when it is on a file system that the process itself
  /// provides, such as FUSE.
  ///
  /// - Throws: ``FileError``; ``FileError/notPermitted`` when this process may not inspect the other one.
  public func root() throws(FileError) -> Root {
    Root(directory: try .open("root", in: directory, Self.directoryFlags))
  }

  /// The root directory of a process, held open.
  public struct Root: Sendable {
    fileprivate let directory: Descriptor

    /// The device and inode of the directory.
    ///
    /// - Throws: ``FileError``.
    public func identity() throws(FileError) -> FileIdentity {
      FileIdentity(try directory.status())
    }

    /// Reads a regular file in this directory. Symbolic links are not followed.
    ///
    /// - Parameter limit: the longest content, in bytes.
    /// - Throws: ``FileError``; ``FileError/tooLarge(limit:)`` above the limit.
    public func content(of name: String, limit: Int) throws(FileError) -> [UInt8] {
      try Descriptor.open(name, in: directory, Descriptor.reading | O_NOFOLLOW).content(limit: limit)
    }
  }
}

/// A reference to a process, by a pidfd. It never refers to another process, even after the process ID was reused.
public final class ProcessHandle: Sendable {
  package let descriptor: Descriptor

  /// - Parameter descriptor: a pidfd.
  package init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  /// Opens the process that has this ID now. Nil, with the reason in `errno`, when that fails.
  package convenience init?(_ processID: Int32) {
    guard let descriptor = Descriptor(owning: pidfd_open(processID, 0)) else { return nil }
    self.init(descriptor)
  }

  /// The process ID, as the kernel knows it; nil when the process has ended, or when the descriptor is not a pidfd.
  package var processID: Int32? {
    let facts = try? Files.read("/proc/self/fdinfo/\(descriptor.number)", limit: 4096)
    let line = facts?.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "Pid:".utf8) }
    let text = String(decoding: line?.dropFirst(4).drop { $0 == UInt8(ascii: "\t") } ?? [], as: UTF8.self)
    return Int32(text).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Whether the process still runs. Signal 0 through the pidfd reaches this process only, never one that reuses its
  /// ID.
  public var isRunning: Bool {
    pidfd_send_signal(descriptor.number, 0, nil, 0) == 0 || errno == EPERM
  }
}
