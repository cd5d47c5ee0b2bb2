// SPDX-License-Identifier: Apache-2.0

/// Reads the beginning of an answer that is an object of JSON.
package enum PartialJSON {
  /// The complete part of an object.
  ///
  /// - Returns: nil if there is nothing yet, or no object.
  package static func read(_ text: Substring) -> ChappieJSONValue? {
    JSONReader.beginning(of: Array(text.utf8).span, from: 0).object
  }

  /// The JSON of an answer. A model can say something before it, in a paragraph of its own, also an earlier object.
  package static func document(in answer: String) -> Substring {
    let bytes = Array(answer.utf8)
    let gap = Array((AnswerText.gap + "{").utf8)
    var start = 0
    while let next = bytes[JSONReader.beginning(of: bytes.span, from: start).end...].firstRange(of: gap) {
      start = next.upperBound - 1
    }
    return answer[answer.utf8.index(answer.startIndex, offsetBy: start)...]
  }
}
