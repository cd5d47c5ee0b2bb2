// The input is the data of a WebSocket, in chunks of its choice: the chunks must not affect the result. The input is a
// number of chunk lengths, the lengths, and the stream.

@testable import GLibBridge

private func problem(_ chunks: [ArraySlice<UInt8>]) -> FrameMeter.Problem? {
  var meter = FrameMeter(messageLimit: 1 << 20)
  for chunk in chunks {
    do throws(FrameMeter.Problem) {
      try meter.pass(Array(chunk).span, at: 0)
    } catch {
      return error
    }
  }
  return nil
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let lengthCount = input.first.map(Int.init), lengthCount < count else { return 0 }
  let stream = input[(1 + lengthCount)...]
  var chunks: [ArraySlice<UInt8>] = []
  var rest = stream
  for length in input[1..<(1 + lengthCount)] {
    chunks.append(rest.prefix(Int(length)))
    rest = rest.dropFirst(Int(length))
  }
  precondition(problem(chunks + [rest]) == problem([stream]), "the chunks change the result")
  return 0
}
