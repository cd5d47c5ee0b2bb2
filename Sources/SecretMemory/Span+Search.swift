import Glibc

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
