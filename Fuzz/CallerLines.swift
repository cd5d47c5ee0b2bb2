// SPDX-License-Identifier: Apache-2.0

// The input is what a caller writes on the socket of its turn, in chunks of its choice: the chunks must not affect the
// lines, and each line is understood or refused with a documented error. The input is a number of chunk lengths, the
// lengths, and the stream.

@testable import ChappieService
@testable import GLibBridge

private func lines(_ chunks: [ArraySlice<UInt8>]) -> (lines: [[UInt8]], rest: Int) {
  var splitter = LineSplitter()
  var lines: [[UInt8]] = []
  for chunk in chunks where !chunk.isEmpty {
    splitter.append(Array(chunk))
    while let line = splitter.next() { lines.append(line) }
  }
  return (lines, splitter.pendingBytes)
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
  let whole = lines([stream])
  let divided = lines(divide(stream, input[1..<(1 + lengthCount)]))
  precondition(whole.lines == divided.lines && whole.rest == divided.rest, "the chunks change the lines")
  for line in whole.lines {
    do {
      _ = try CallerLine(line)
    } catch let error as BusError {
      precondition(error.name.hasPrefix("org.chappie.Error."), "\(error.name) is not documented")
    } catch {
      preconditionFailure("\(error) is no error of the service")
    }
  }
  return 0
}
