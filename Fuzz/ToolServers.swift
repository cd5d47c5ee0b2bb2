// SPDX-License-Identifier: Apache-2.0

// The input is the output of a tool server, after a byte that counts the requests that wait for an answer: whatever it
// is, each request has one outcome, the texts for the model have no hidden characters, and a question that is passed on
// is the same one at its destination.

import Glibc

@testable import ChappieMCP
@testable import ChappieSDK
@testable import GLibBridge
@testable import Platform

private func isClean(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy {
    $0.properties.generalCategory != .control && !$0.isInvisible || $0 == "\n" || $0 == "\t"
  }
}

private func check(_ value: ChappieJSONValue) {
  let output = MCPOutput(value)
  precondition(output.images.count <= 4 && output.text.utf8.count < 140 << 10, "a result is not bounded")
  precondition(isClean(output.text), "a result has hidden characters")
  precondition(MCPOutput(message: output.json) == output, "a result is another one at its destination")
  for tool in [value] + (value["tools"]?.arrayValue ?? []) {
    guard let read = try? MCPTool(tool) else { continue }
    precondition(isClean(read.description) && isClean(read.title ?? ""), "a description has hidden characters")
    precondition((try? MCPTool(read.pinned)) == read, "a tool is another one at its destination")
    let names = ToolNames([("server", read.name), ("server", read.name)]).all
    precondition(Set(names).count == 2 && names.allSatisfy { $0.utf8.count <= 64 }, "a name is not usable")
  }
  if let question = MCPQuestion(value) {
    precondition(isClean(question.message), "a question has hidden characters")
    precondition(MCPQuestion(.object(question.params)) == question, "a question is another one at its destination")
  }
}

@GLibActor
private func exchange(_ output: ArraySlice<UInt8>, _ count: Int) async throws -> Int {
  let (toServer, input) = try StreamSocket.pair()
  let (fromServer, end) = try StreamSocket.pair()
  let connection = MCPConnection(to: toServer, from: fromServer)
  connection.onRequest = { method, params in
    check(params)
    return method == "elicitation/create" ? [:] : nil
  }
  connection.onNotification = { _, params in check(params) }
  let requests = (0..<count).map { _ in
    Task.onGLib { try await connection.request("tools/call", [:], deadline: .seconds(60)) { _ in } }
  }
  // Each is made before the first line is read.
  for _ in 0..<3 { await Task.yield() }
  _ = output.withUnsafeBytes { write(end.number, $0.baseAddress, $0.count) }
  shutdown(end.number, Int32(SHUT_RDWR))
  connection.start()
  var outcomes = 0
  for request in requests {
    if let value = try? await request.value { check(value) }
    outcomes += 1
  }
  withExtendedLifetime(input) {}
  return outcomes
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = input.first else { return 0 }
  if let value = try? ChappieJSONValue(parsing: Array(input.dropFirst()).span) { check(value) }
  let requests = Int(first % 8)
  guard
    case .completed(let outcomes) = GLibActor.block(
      atMost: .seconds(9), { try? await exchange(input.dropFirst(), requests) }), outcomes == requests
  else { preconditionFailure("a request has no outcome") }
  return 0
}
