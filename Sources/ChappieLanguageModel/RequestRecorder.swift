// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Synchronization

/// Makes the entries of a request from the record of its turn.
final class RequestRecorder: Sendable {
  private let state: Mutex<[Transcript.Entry]>

  init(_ prompt: Prompt) {
    state = Mutex([.prompt(Transcript.Prompt(segments: [Transcript.Segment](text: prompt.text)))])
  }

  var entries: [Transcript.Entry] { state.withLock { $0 } }

  func take(_ record: TurnRecord) {
    switch record {
    case .items(let items):
      let calls = items.compactMap(ToolCallItem.init).map { Transcript.ToolCall($0) }
      if !calls.isEmpty { state.withLock { $0.append(.toolCalls(Transcript.ToolCalls(calls))) } }
    case .event(.toolCallCompleted(let result)):
      let segments = [Transcript.Segment](text: result.output)
      let output = Transcript.ToolOutput(id: result.callID, toolName: result.toolName, segments: segments)
      state.withLock { $0.insert(output) }
    default: break
    }
  }
}

extension Transcript.ToolCall {
  fileprivate init(_ item: ToolCallItem) {
    let arguments = try? GeneratedContent(json: item.arguments.isEmpty ? "{}" : item.arguments)
    self.init(
      id: item.callID, toolName: item.name, arguments: arguments ?? GeneratedContent(.string(item.arguments)))
  }
}

extension [Transcript.Entry] {
  /// Appends an output. The outputs of calls that ran concurrently are in the order of the calls.
  fileprivate mutating func insert(_ output: Transcript.ToolOutput) {
    append(.toolOutput(output))
    guard let start = lastIndex(where: { if case .toolCalls = $0 { true } else { false } }),
      case .toolCalls(let calls) = self[start]
    else { return }
    let order = calls.map(\.id)
    self[(start + 1)...].sort { order.firstIndex(of: $0.id) ?? .max < order.firstIndex(of: $1.id) ?? .max }
  }
}
