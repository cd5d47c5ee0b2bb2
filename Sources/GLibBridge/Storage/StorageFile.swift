import CGLib
import Glibc

/// An open file of a store.
public final class StorageFile: Sendable {
  public enum Access: Sendable {
    case reading
    /// One that is there, is the user's own and has no other name.
    case writing
    /// A new file, where there is none of the name.
    case making
    /// A new file. One that has the name loses it, and is as it was where it has another.
    case replacing
  }

  private let descriptor: Descriptor
  /// While this file is open, no other one has the same.
  public let identity: FileIdentity

  /// Links are not followed. A new file is the user's alone, and kept out of backups.
  ///
  /// - Throws: ``StorageError``.
  public init(_ path: String, for access: Access) throws(StorageError) {
    switch access {
    case .reading: (descriptor, identity) = try Self.open(path, O_RDONLY)
    case .writing:
      (descriptor, identity) = try Self.open(path, O_RDWR)
      try descriptor.checkIsOwn()
    case .making:
      (descriptor, identity) = try Self.open(path, Self.new)
      BackupExclusion.mark(descriptor)
    case .replacing:
      (descriptor, identity) = try Self.replace(path)
      BackupExclusion.mark(descriptor)
    }
  }

  /// Another program may put its own in the same place between the two steps, each of them a few times.
  private static func replace(_ path: String) throws(StorageError) -> (Descriptor, FileIdentity) {
    for _ in 0..<100 {
      guard unlink(path) == 0 || errno == ENOENT else { throw StorageError(errno: errno) }
      do {
        return try open(path, new)
      } catch .exists {
        continue
      }
    }
    throw .exists
  }

  private static let new = O_RDWR | O_CREAT | O_EXCL

  private static func open(_ path: String, _ flags: Int32) throws(StorageError) -> (Descriptor, FileIdentity) {
    // Without O_NONBLOCK a named pipe would wait for its other end.
    let all = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    guard let descriptor = Descriptor(owning: Glibc.open(path, all, 0o600)), let status = descriptor.status else {
      throw StorageError(errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    return (descriptor, FileIdentity(status))
  }

  /// In bytes.
  ///
  /// - Throws: ``StorageError``.
  public func size() throws(StorageError) -> Int64 {
    guard let status = descriptor.status else { throw StorageError(errno: errno) }
    return Int64(status.st_size)
  }

  /// Everything from `offset` on.
  ///
  /// - Parameter limit: the most that is read, in bytes. What is more is a failure: a file may have holes, and then be
  ///   larger than any memory.
  /// - Throws: ``StorageError``.
  public func content(from offset: Int64 = 0, limit: Int64) throws(StorageError) -> [UInt8] {
    let length = try max(0, size() - offset)
    guard length <= limit else { throw .failed("it has \(length) bytes, and \(limit) are expected at most") }
    var failure: StorageError?
    let content = [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, filled in
      while filled < buffer.count {
        let count = pread(
          descriptor.number, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(offset) + filled)
        if count < 0, errno == EINTR { continue }
        if count < 0 { failure = StorageError(errno: errno) }
        guard count > 0 else { return }
        filled += count
      }
    }
    if let failure { throw failure }
    return content
  }

  /// Writes `bytes` at `offset`, where the file then ends; what was behind it is gone. When it fails, the file ends at
  /// `offset`.
  ///
  /// - Parameter durably: whether the bytes are on the disk when it returns.
  /// - Throws: ``StorageError``.
  public func write(_ bytes: [UInt8], at offset: Int64, durably: Bool) throws(StorageError) {
    do {
      if try size() > offset { try check(ftruncate(descriptor.number, off_t(offset))) }
      try writeAll(bytes, at: offset)
      if durably { try check(fdatasync(descriptor.number)) }
    } catch {
      ftruncate(descriptor.number, off_t(offset))
      throw error
    }
  }

  private func writeAll(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        pwrite(
          descriptor.number, bytes.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset) + written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw count < 0 ? StorageError(errno: errno) : .full }
      written += count
    }
  }

  private func check(_ result: Int32) throws(StorageError) {
    guard result == 0 else { throw StorageError(errno: errno) }
  }
}
