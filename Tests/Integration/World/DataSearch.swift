// SPDX-License-Identifier: Apache-2.0

/// Search in logs, dumps and captures. Foundation's `range(of:)` compares byte by byte: it took 20 s of a test run.
extension Data {
  func contains(_ text: String) -> Bool { place(of: Data(text.utf8)) != nil }

  func contains(_ bytes: Data) -> Bool { place(of: bytes) != nil }

  /// The first place of these bytes, at least one.
  func place(of bytes: Data) -> Range<Index>? {
    withUnsafeBytes { all in
      bytes.withUnsafeBytes { wanted in
        guard let whole = all.baseAddress, let part = wanted.baseAddress else { return nil }
        var start = 0
        while start + wanted.count <= all.count,
          let found = memchr(whole + start, Int32(wanted[0]), all.count - start - wanted.count + 1)
        {
          start = UnsafeRawPointer(found) - whole
          if memcmp(found, part, wanted.count) == 0 {
            return startIndex + start..<startIndex + start + wanted.count
          }
          start += 1
        }
        return nil
      }
    }
  }
}
