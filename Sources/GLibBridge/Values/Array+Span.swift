extension [UInt8] {
  /// Copies the bytes of a span, so that they outlive it.
  public init(copying bytes: borrowing Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { Array($0) }
  }

  /// Appends the bytes of a view.
  public mutating func append(copying bytes: borrowing Span<UInt8>) {
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}
