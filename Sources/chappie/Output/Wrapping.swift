import GLibBridge

extension String {
  /// The lines of this text, those divided between words that are longer than `columns`; nil divides none. What a line
  /// is indented by, its other parts are too.
  func lines(within columns: Int?) -> [String] {
    let lines = replacing("\t", with: "    ").split(separator: "\n", omittingEmptySubsequences: false)
    guard let columns else { return lines.map(String.init) }
    return lines.flatMap { Self.parts(of: $0, within: columns) }
  }

  /// As much of this text as `columns` have room for, with an ellipsis where that is not all.
  func shortened(to columns: Int) -> String {
    guard self.columns > columns else { return self }
    return prefix(upTo: end(within: columns - 1)) + "…"
  }

  private static func parts(of line: Substring, within columns: Int) -> [String] {
    let indent = String(line.prefix(columns / 2).prefix { $0 == " " })
    var parts: [String] = []
    var rest = line.dropFirst(indent.count)
    repeat {
      let end = rest.end(within: columns - indent.count)
      let space = end == rest.endIndex || rest[end] == " " ? end : rest[..<end].lastIndex(of: " ") ?? end
      parts.append(indent + rest[..<space])
      rest = rest[space...].drop { $0 == " " }
    } while !rest.isEmpty
    return parts
  }
}

extension StringProtocol {
  /// Where the part ends that `columns` have room for: at least one character, where there is one.
  fileprivate func end(within columns: Int) -> Index {
    var room = columns
    var index = startIndex
    while index < endIndex {
      room -= self[index].columns
      guard room >= 0 || index == startIndex else { break }
      formIndex(after: &index)
    }
    return index
  }
}
