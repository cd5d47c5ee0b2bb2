extension SecretBytes {
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
