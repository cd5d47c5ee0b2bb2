// SPDX-License-Identifier: Apache-2.0
import CSodium
import Glibc

/// Bytes that must not leak, such as a token or a key.
///
/// They live in memory that is locked against swapping, excluded from core dumps, surrounded by guard pages and wiped
/// when the last reference is released. The type cannot be printed, encoded, hashed or compared by accident: reading it
/// takes an explicit call.
public final class SecretBytes: @unchecked Sendable {
  // Written only in `init`, so that reads need no lock.
  private let pointer: UnsafeMutableRawPointer
  public let count: Int

  /// Creates a secret of `count` bytes, which `fill` writes. Ends the process when no guarded memory is left.
  public init(count: Int, _ fill: (inout MutableRawSpan) throws -> Void) rethrows {
    guard Self.isReady, let pointer = sodium_malloc(max(count, 1)) else {
      fatalError("no guarded memory left for a secret")
    }
    self.pointer = pointer
    self.count = count
    var span = MutableRawSpan(_unsafeStart: pointer, byteCount: count)
    try fill(&span)
    sodium_mprotect_readonly(pointer)
  }

  /// Copies bytes from ordinary memory. For tests and fixtures.
  public convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { _ = $0.write(bytes, at: 0) }
  }

  deinit {
    sodium_free(pointer)
  }

  /// Creates a secret of `count` bytes, which a C function writes.
  convenience init(count: Int, writing: (UnsafeMutablePointer<UInt8>) -> Void) {
    self.init(count: count) { span in
      span.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        writing(start.assumingMemoryBound(to: UInt8.self))
      }
    }
  }

  /// Reads the secret as C functions take it. There is always at least one byte to point at.
  func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    body(UnsafePointer(pointer.assumingMemoryBound(to: UInt8.self)))
  }

  /// Reads the secret. A copy that `body` makes is not protected.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: pointer, count: count))
  }

  /// Whether the secret contains `bytes`. The time depends on the content: use this for redacting text, not for
  /// checking a caller's secret.
  public func contains(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    return bytes.withUnsafeBufferPointer { part in
      guard let wanted = part.baseAddress else { return true }
      var start = 0
      while count - start >= part.count,
        let found = memchr(pointer + start, Int32(first), count - start - part.count + 1)
      {
        if memcmp(found, wanted, part.count) == 0 { return true }
        start = UnsafeRawPointer(found) - UnsafeRawPointer(pointer) + 1
      }
      return false
    }
  }

  private static let isReady = sodium_init() >= 0
}

extension MutableRawSpan {
  /// Writes a secret at `offset` and returns the offset after it.
  public mutating func write(_ secret: SecretBytes, at offset: Int) -> Int {
    secret.withBytes { write($0, at: offset) }
  }

  /// Writes plain bytes at `offset` and returns the offset after them.
  public mutating func write(_ bytes: some Collection<UInt8>, at offset: Int) -> Int {
    for (index, byte) in bytes.enumerated() {
      storeBytes(of: byte, toByteOffset: offset + index, as: UInt8.self)
    }
    return offset + bytes.count
  }
}

extension SecretBytes {
  /// Whether both secrets are equal, in constant time.
  public func isEqual(to other: SecretBytes) -> Bool {
    guard count == other.count else { return false }
    return withBytes { left in
      other.withBytes { right in
        count == 0 || sodium_memcmp(left.baseAddress, right.baseAddress, count) == 0
      }
    }
  }

  /// Reads the secret through a bounds-checked view. Copies that `body` makes are not protected.
  public func withSpan<Result>(_ body: (borrowing Span<UInt8>) throws -> Result) rethrows -> Result {
    try withBytes { bytes in
      let span = Span<UInt8>(_unsafeBytes: bytes)
      return try body(span)
    }
  }

  /// Copies a part of `span` into guarded memory.
  public convenience init(copying span: borrowing Span<UInt8>, _ range: Range<Int>) {
    let part = span.extracting(range)
    self.init(count: range.count) { secret in
      for offset in part.indices { secret.storeBytes(of: part[offset], toByteOffset: offset, as: UInt8.self) }
    }
  }
}

/// Searches with memchr and memcmp, because every chunk of a response passes through here.
extension Span<UInt8> {
  /// The first index of `byte` in `range`; nil when it does not occur.
  @inlinable
  public func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    extracting(range).withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
      return range.lowerBound + (UnsafeRawPointer(found) - UnsafeRawPointer(start))
    }
  }

  /// Whether the bytes in `range` are those of `text`.
  @inlinable
  public func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    return extracting(range).withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { memcmp($0, text.utf8Start, bytes.count) == 0 } ?? true
    }
  }
}
