import Glibc

/// Writes all of `bytes`, and waits while the descriptor takes none.
///
/// - Returns: the `errno` of what failed; nil when all is written.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    switch (count, errno) {
    case (1..., _): rest = rest.dropFirst(count)
    case (_, EINTR): continue
    case (_, EAGAIN):
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&waiting, 1, -1)
    case (_, let error): return error
    }
  }
  return nil
}
