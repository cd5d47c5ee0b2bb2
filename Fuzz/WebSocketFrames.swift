// SPDX-License-Identifier: Apache-2.0

// The input is the data of a WebSocket, in chunks of its choice: the chunks must not affect the result. The input is a
// number of chunk lengths, the lengths, and the stream.

@testable import GLibBridge

private struct Outcome: Equatable {
  var messages: [[UInt8]] = []
  var problem: FrameParser.Problem?
}

private func outcome(_ chunks: [ArraySlice<UInt8>]) -> Outcome {
  var parser = FrameParser(messageLimit: 1 << 20)
  var outcome = Outcome()
  var waiting: [UInt8] = []
  for chunk in chunks {
    waiting += chunk
    do throws(FrameParser.Problem) {
      while !waiting.isEmpty {
        let count = try parser.next(in: waiting.span, at: { 0 }) { outcome.messages.append(Array(copying: $1)) }
        guard count > 0 else { break }
        waiting.removeFirst(count)
      }
    } catch {
      outcome.problem = error
      return outcome
    }
    precondition(waiting.count <= FrameParser.waitingLimit, "more than a control frame waits")
  }
  return outcome
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
  precondition(outcome(chunks + [rest]) == outcome([stream]), "the chunks change the result")
  return 0
}
