import ChappieSDK

extension StandInRule {
  /// Reads the keys of a rule one by one. Keys that remain at the end are unknown.
  struct Reader {
    struct Problem: Error {
      let text: String
    }

    private var members: [String: ChappieJSONValue]

    init(_ value: ChappieJSONValue) throws(Problem) {
      guard let members = value.objectValue else { throw Problem(text: "it is not an object") }
      self.members = members
    }

    mutating func take(_ key: String) -> ChappieJSONValue? {
      members.removeValue(forKey: key)
    }

    /// Checks that no key remains.
    ///
    /// - Throws: ``Problem`` if a key is unknown, or excluded by the keys that were read.
    func expectEnd() throws(Problem) {
      guard let key = members.keys.min() else { return }
      throw Problem(text: "'\(key)' is unknown, or does not go with the other keys")
    }

    mutating func string(_ key: String) throws(Problem) -> String? {
      guard let value = take(key) else { return nil }
      guard let string = value.stringValue else { throw Problem(text: "'\(key)' must be a string") }
      return string
    }

    mutating func bool(_ key: String) throws(Problem) -> Bool? {
      guard let value = take(key) else { return nil }
      guard case .bool(let bool) = value else { throw Problem(text: "'\(key)' must be true or false") }
      return bool
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
      guard let value = take(key) else { return nil }
      guard let number = value.integerValue, range.contains(Int(number)) else {
        throw Problem(text: "'\(key)' must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return Int(number)
    }

    mutating func times(_ key: String) throws(Problem) -> Times {
      switch take(key) {
      case nil: return .count(1)
      case .string("always"): return .always
      case .integer(let count) where count > 0: return .count(Int(count))
      default: throw Problem(text: "'\(key)' must be a number from 1 on, or \"always\"")
      }
    }

    mutating func headers(_ key: String) throws(Problem) -> [(name: String, value: String)] {
      guard let value = take(key) else { return [] }
      guard case .object(let list) = value else { throw Problem(text: "'\(key)' must be an object") }
      var headers: [(name: String, value: String)] = []
      for (name, value) in list.sorted(by: { $0.key < $1.key }) {
        guard let text = value.stringValue else { throw Problem(text: "the values of '\(key)' must be strings") }
        headers.append((name, text))
      }
      return headers
    }

    mutating func number(_ key: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
      guard let value = take(key) else { return nil }
      guard let number = value.numberValue, range.contains(number) else {
        throw Problem(text: "'\(key)' must be a number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }

    mutating func toolCalls(_ key: String) throws(Problem) -> [ToolCall]? {
      guard let list = try objects(key) else { return nil }
      var calls: [ToolCall] = []
      for element in list {
        var members = try Reader(element)
        guard let name = try members.string("name") else { throw Problem(text: "a tool call needs a 'name'") }
        let namespace = try members.string("namespace")
        let id = try members.string("call_id")
        let payload: ToolCall.Payload
        if let input = try members.string("input") {
          payload = .input(input)
        } else {
          let arguments = members.take("arguments") ?? [:]
          payload = .arguments(arguments.stringValue ?? arguments.json)
        }
        try members.expectEnd()
        calls.append(ToolCall(id: id, name: name, namespace: namespace, payload))
      }
      return calls
    }

    /// Reads a list of messages: an object is an event, and a string is sent as it is.
    mutating func frames(_ key: String) throws(Problem) -> [ChappieJSONValue] {
      guard let value = take(key) else { return [] }
      let isFrame = { (element: ChappieJSONValue) in
        switch element {
        case .object, .string: true
        default: false
        }
      }
      guard case .array(let elements) = value, elements.allSatisfy(isFrame) else {
        throw Problem(text: "'\(key)' must be a list of objects and texts")
      }
      return elements
    }

    mutating func objects(_ key: String) throws(Problem) -> [ChappieJSONValue]? {
      guard let value = take(key) else { return nil }
      let isObject = { (element: ChappieJSONValue) in
        if case .object = element { true } else { false }
      }
      guard case .array(let elements) = value, elements.allSatisfy(isObject) else {
        throw Problem(text: "'\(key)' must be a list of objects")
      }
      return elements
    }
  }
}
