// SPDX-License-Identifier: Apache-2.0

/// Marked text as the terminal shows it.
struct InlineText {
  /// Addresses that a terminal may open. Others are shown.
  private static let schemes = ["http://", "https://", "mailto:"]
  /// The longest address behind a text, in bytes; a terminal may ignore a longer one.
  private static let linkLimit = 2000

  let format: AnswerFormat

  /// - Parameter base: the style of text without marks.
  func styled(_ runs: [MarkdownRun], base: TextStyle = .plain) -> [StyledRun] {
    runs.indices.flatMap { index in
      let run = runs[index]
      let styled = styled(run, base)
      let isLinkOver = index + 1 == runs.count || runs[index + 1].link != run.link
      guard let address = run.link, isLinkOver else { return styled }
      return styled + shown(address, behind: text(of: address, in: runs, to: index))
    }
  }

  private func styled(_ run: MarkdownRun, _ base: TextStyle) -> [StyledRun] {
    var style = base
    if run.marks.contains(.emphasis) { style.attributes.insert(.italic) }
    if run.marks.contains(.strong) { style.attributes.insert(.bold) }
    if run.marks.contains(.deleted) { style.attributes.insert(.struck) }
    if run.link != nil { style.attributes.insert(.underlined) }
    var text = run.text
    if run.marks.contains(.code) {
      style.color = color(.cyan)
      if !format.hasColors { text = "`\(text)`" }
    }
    return [StyledRun(text: text, style: style, link: run.link.flatMap(target))]
  }

  private func color(_ color: TextStyle.Color) -> TextStyle.Color? { format.hasColors ? color : nil }

  /// The text that links to an address, up to the run at `index`.
  private func text(of address: String, in runs: [MarkdownRun], to index: Int) -> String {
    String(runs[...index].reversed().prefix { $0.link == address }.reversed().flatMap(\.text))
  }

  /// The address in parentheses, unless the text or the terminal shows it.
  private func shown(_ address: String, behind text: String) -> [StyledRun] {
    let isShown = [text, text + "/", "mailto:" + text].contains(address)
    guard !address.isEmpty, !isShown, format.links != .hidden || target(address) == nil else { return [] }
    return [StyledRun(text: " (\(address))", style: .dim)]
  }

  /// The address as the terminal gets it; nil for one that it must not open.
  private func target(_ address: String) -> String? {
    guard format.links != .written, Self.schemes.contains(where: address.lowercased().hasPrefix) else { return nil }
    let encoded = address.utf8.map { byte in
      (0x21...0x7E).contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return encoded.utf8.count <= Self.linkLimit ? encoded : nil
  }
}
