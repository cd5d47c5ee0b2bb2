import CZstd

/// The coding `zstd` of HTTP bodies, by libzstd.
public enum Zstandard {
  /// Why bytes could not be decoded.
  public enum Failure: Error {
    /// They are no zstd, or end too early.
    case malformed
    /// What they stand for is longer than the limit.
    case tooLong
  }

  /// Compresses bytes into one frame.
  public static func encode(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { room, count in
      let written = ZSTD_compress(room.baseAddress, room.count, bytes, bytes.count, 3)
      // It only fails for want of room or memory.
      precondition(ZSTD_isError(written) == 0, "libzstd failed to compress")
      count = written
    }
  }

  /// What `bytes`, one frame or several, stand for.
  ///
  /// - Parameter limit: the longest result in bytes; a small body can stand for a very long one.
  public static func decode(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    guard let stream = ZSTD_createDStream() else { throw .malformed }
    defer { ZSTD_freeDStream(stream) }
    var room = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
    var result: [UInt8] = []
    var position = 0
    var isFrameOpen = true
    while isFrameOpen || position < bytes.count {
      let step = step(stream, bytes, from: position, into: &room)
      guard ZSTD_isError(step.status) == 0 else { throw .malformed }
      position = step.read
      isFrameOpen = step.status != 0
      // All was read, and nothing comes of it any more: the end of the frame is missing.
      if isFrameOpen, position == bytes.count, step.written == 0 { throw .malformed }
      guard result.count + step.written <= limit else { throw .tooLong }
      result += room.prefix(step.written)
    }
    return result
  }

  /// Decodes as much as there is room for. A status of 0 is the end of a frame.
  private static func step(
    _ stream: OpaquePointer, _ bytes: [UInt8], from position: Int, into room: inout [UInt8]
  ) -> (status: Int, read: Int, written: Int) {
    bytes.withUnsafeBytes { source in
      room.withUnsafeMutableBytes { room in
        var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: position)
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        let status = ZSTD_decompressStream(stream, &output, &input)
        return (status, input.pos, output.pos)
      }
    }
  }
}
