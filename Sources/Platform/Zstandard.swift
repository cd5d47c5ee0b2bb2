// SPDX-License-Identifier: Apache-2.0
import CZstd

/// The HTTP content coding `zstd`, by libzstd.
public enum Zstandard {
  /// The reason why decoding failed.
  public enum DecodingError: Error {
    /// The bytes are not zstd data, or they are truncated.
    case malformed
    /// The decoded result exceeds the limit.
    case tooLong
  }

  /// Encodes bytes as one frame.
  public static func encode(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { room, count in
      let written = ZSTD_compress(room.baseAddress, room.count, bytes, bytes.count, 3)
      // It fails only when the buffer is too small or memory runs out.
      precondition(ZSTD_isError(written) == 0, "libzstd failed to compress")
      count = written
    }
  }

  /// Decodes one or more frames.
  ///
  /// - Parameter limit: the maximum length of the result, in bytes. A short body may decode to a very long result.
  /// - Throws: ``DecodingError``.
  public static func decode(_ bytes: [UInt8], limit: Int) throws(DecodingError) -> [UInt8] {
    guard let stream = ZSTD_createDStream() else { throw .malformed }
    defer { ZSTD_freeDStream(stream) }
    var room = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
    var result: [UInt8] = []
    var position = 0
    var isFrameOpen = true
    while isFrameOpen || position < bytes.count {
      // Until `room` is full or the input ends. A status of 0 marks the end of a frame.
      let (status, written) = bytes.withUnsafeBytes { source in
        room.withUnsafeMutableBytes { room in
          var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: position)
          var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
          let status = ZSTD_decompressStream(stream, &output, &input)
          position = input.pos
          return (status, output.pos)
        }
      }
      guard ZSTD_isError(status) == 0 else { throw .malformed }
      isFrameOpen = status != 0
      // All input is consumed and no output remains: the frame is truncated.
      if isFrameOpen, position == bytes.count, written == 0 { throw .malformed }
      guard result.count + written <= limit else { throw .tooLong }
      result += room.prefix(written)
    }
    return result
  }
}
