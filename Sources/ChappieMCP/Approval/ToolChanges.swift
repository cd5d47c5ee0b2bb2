// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

extension ToolApproval {
  /// A difference between what was approved and what a server lists now.
  package enum Change: Sendable, Hashable {
    case added(MCPTool)
    case removed(String)
    /// A member of the tool's description; nil where it is missing.
    case changed(tool: String, field: String, old: ChappieJSONValue?, new: ChappieJSONValue?)
    case instructions(old: String?, new: String?)
    /// The path of the program.
    case program(old: String, new: String)
  }

  /// The differences, sorted by the names of the tools.
  ///
  /// - Parameter program: the path of the program now; nil does not compare it.
  package func changes(against listing: MCPListing, program: String? = nil) -> [Change] {
    var changes: [Change] = []
    if let old = self.program, let program, old != program { changes.append(.program(old: old, new: program)) }
    if !Self.same(instructions, listing.instructions) {
      changes.append(.instructions(old: instructions, new: listing.instructions))
    }
    let tools = Dictionary(listing.tools.map { ($0.name, $0) }) { first, _ in first }
    for name in Set(tools.keys).union(pins.keys).sorted() {
      switch (pins[bytesOf: name], tools[bytesOf: name]) {
      case (nil, let tool?): changes.append(.added(tool))
      case (_?, nil): changes.append(.removed(name))
      case (let pin?, let tool?): changes += Self.changes(of: name, pin, tool.pinned)
      case (nil, nil): break
      }
    }
    return changes
  }

  private static func changes(of tool: String, _ old: ChappieJSONValue, _ new: ChappieJSONValue) -> [Change] {
    let fields = Set((old.objectValue ?? [:]).keys).union((new.objectValue ?? [:]).keys).sorted()
    return fields.filter { old[$0] != new[$0] }.map { field in
      .changed(tool: tool, field: field, old: old[field], new: new[field])
    }
  }

  private static func same(_ left: String?, _ right: String?) -> Bool {
    left.map(ChappieJSONValue.string) == right.map(ChappieJSONValue.string)
  }
}
