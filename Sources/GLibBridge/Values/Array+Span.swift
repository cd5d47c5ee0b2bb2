extension [UInt8] {
  /// The bytes of a view that may end before they are needed.
  public init(copying bytes: borrowing Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { Array($0) }
  }
}
