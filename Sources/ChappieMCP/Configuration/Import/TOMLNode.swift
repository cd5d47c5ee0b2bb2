// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// A table under construction.
enum TOMLNode {
  case table([String: TOMLNode])
  case tables([TOMLNode])
  case value(ChappieJSONValue)

  var json: ChappieJSONValue {
    switch self {
    case .table(let members): .object(members.mapValues(\.json))
    case .tables(let elements): .array(elements.map(\.json))
    case .value(let value): value
    }
  }

  /// Adds a value. False if there is one at this path.
  mutating func set(_ value: ChappieJSONValue, at path: [String]) -> Bool {
    change(path[...]) { node in
      guard node == nil else { return false }
      node = .value(value)
      return true
    }
  }

  /// Adds a table, unless it exists.
  mutating func open(_ path: ArraySlice<String>, isElement: Bool) -> Bool {
    change(path) { node in
      switch (node, isElement) {
      case (nil, false): node = .table([:])
      case (nil, true): node = .tables([.table([:])])
      case (.tables(let elements), true): node = .tables(elements + [.table([:])])
      case (.table, false): break
      default: return false
      }
      return true
    }
  }

  private mutating func change(_ path: ArraySlice<String>, _ body: (inout TOMLNode?) -> Bool) -> Bool {
    guard let name = path.first else { return false }
    let node = self
    // Otherwise each change would copy the table.
    self = .value(.null)
    switch consume node {
    case .value: return false
    case .tables(var elements):
      guard var last = elements.popLast(), last.change(path, body) else { return false }
      elements.append(last)
      self = .tables(elements)
    case .table(var members):
      var member = members.removeValue(forKey: name)
      if path.count == 1 {
        guard body(&member) else { return false }
      } else {
        var inner = member ?? .table([:])
        member = nil
        guard inner.change(path.dropFirst(), body) else { return false }
        member = inner
      }
      members[name] = member
      self = .table(members)
    }
    return true
  }
}
