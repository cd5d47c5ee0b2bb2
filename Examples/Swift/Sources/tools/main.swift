// Notes that the model may list and delete. The user approves each deletion.
import ChappieSDK
import ExampleSupport

/// The notes of this program. Calls of tools may run at the same time.
actor Notes {
  private var notes = ["milk", "bread", "tea"]

  func list() -> ChappieJSONValue { .array(notes.map { .string($0) }) }

  func delete(_ note: String) throws {
    guard let index = notes.firstIndex(of: note) else { throw NoSuchNote(note: note) }
    notes.remove(at: index)
  }
}

struct NoSuchNote: Error, CustomStringConvertible {
  let note: String
  var description: String { "There is no note '\(note)'." }
}

await run {
  let notes = Notes()

  let tools = [
    ChappieHostTool(name: "list_notes", description: "Lists the user's notes.") { _ in
      ChappieToolResult(output: await notes.list())
    },
    ChappieHostTool(
      name: "delete_note", description: "Deletes one of the user's notes.",
      inputSchema: ["type": "object", "properties": ["note": ["type": "string"]], "required": ["note"]], policy: .ask
    ) { call in
      try await notes.delete(call.argumentsJSON?["note"]?.stringValue ?? "")
      return ChappieToolResult(output: "deleted")
    },
  ]
  let client = Chappie.client(configuration: try exampleConfiguration(), tools: tools) { request in
    say("Allow \(request.toolName) with \(request.arguments)? [y/n]")
    return await nextLine() == "y" ? .approved() : .denied(reason: "The user wants to keep it.")
  }
  while let line = await nextLine() {
    for try await event in client.stream(line) {
      switch event {
      case .toolCallCompleted(let result): say("\(result.toolName): \(result.status.rawValue)")
      case .completed(let response): say(response.outputText)
      default: break
      }
    }
  }
}
