// SPDX-License-Identifier: Apache-2.0

// The input is a stream of events, in chunks of its choice: the chunks must not affect the result, and no limit may be
// exceeded. The input is a number of chunk lengths, the lengths, and the stream.

@testable import ChappieSDK

private func events(_ chunks: [ArraySlice<UInt8>], limit: Int) -> [[UInt8]] {
  var parser = ServerSentEventParser(limit: limit)
  var events: [[UInt8]] = []
  for chunk in chunks {
    do {
      try parser.parse(chunk.span) { data in
        events.append(data.indices.map { data[$0] })
        return true
      }
    } catch {
      return events
    }
  }
  return events
}

/// Divides `stream` into chunks of the given lengths, repeatedly.
private func divide(_ stream: ArraySlice<UInt8>, _ lengths: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
  var chunks: [ArraySlice<UInt8>] = []
  var rest = stream
  while !rest.isEmpty, lengths.contains(where: { $0 > 0 }) {
    for length in lengths {
      chunks.append(rest.prefix(Int(length)))
      rest = rest.dropFirst(Int(length))
    }
  }
  return chunks + [rest]
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let lengthCount = input.first.map(Int.init), lengthCount < count else { return 0 }
  let stream = input[(1 + lengthCount)...]
  let chunks = divide(stream, input[1..<(1 + lengthCount)])
  precondition(events([stream], limit: .max) == events(chunks, limit: .max), "the chunks change the result")
  let limit = 16
  // The chunk that exceeds the limit may complete events before it is refused.
  let longest = events(chunks, limit: limit).map(\.count).max() ?? 0
  precondition(longest <= limit + (chunks.map(\.count).max() ?? 0), "the limit is exceeded")
  return 0
}
