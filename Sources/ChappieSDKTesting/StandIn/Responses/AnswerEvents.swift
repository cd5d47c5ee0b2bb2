import ChappieSDK

/// The events of an answer. A rule may replace them with others.
struct AnswerEvents {
  private enum Source {
    case script([ChappieJSONValue])
    case answer(ResponsesAnswer, side: [ChappieJSONValue])
  }

  private let source: Source

  /// - Parameter side: events to send right after the first one.
  init(_ answer: ResponsesAnswer, _ change: StandInRule.Change?, side: [ChappieJSONValue] = []) {
    source = change?.events.map { .script($0) } ?? .answer(answer, side: side)
  }

  var count: Int {
    switch source {
    case .script(let events): events.count
    case .answer(let answer, let side): answer.count + side.count
    }
  }

  /// The event at a position, from 0 up to ``count``.
  func event(at index: Int) -> ChappieJSONValue {
    switch source {
    case .script(let events): events[index]
    case .answer(let answer, let side):
      if index > 0, index <= side.count { side[index - 1] } else { answer.event(at: max(0, index - side.count)) }
    }
  }

  /// The output that a following request can continue; nil if the answer does not succeed.
  var completion: (id: String, output: [ChappieJSONValue])? {
    switch source {
    case .answer(let answer, _):
      return answer.succeeds ? (answer.id, answer.output) : nil
    case .script(let events):
      let end = events.last { $0["type"] == "response.completed" }
      guard let id = end?["response"]?["id"]?.stringValue else { return nil }
      return (id, events.filter { $0["type"] == "response.output_item.done" }.compactMap { $0["item"] })
    }
  }
}
