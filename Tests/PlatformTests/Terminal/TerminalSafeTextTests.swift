// SPDX-License-Identifier: Apache-2.0
import Platform
import Testing

@Suite struct TerminalSafeTextTests {
  @Test(arguments: ["\u{1B}", "\u{9B}", "\u{7F}", "\u{2028}", "\u{202E}", "\u{2066}"])
  func aCharacterThatControlsATerminalOrReordersTextIsShown(_ character: String) {
    let text = "a\(character)b"
    for safe in [text.terminalSafe, text.terminalSafeLine, text.terminalSafeCell, text.terminalSafeJSON] {
      #expect(!safe.contains(character))
      #expect(safe.hasPrefix("a") && safe.hasSuffix("b"))
    }
  }

  @Test func ordinaryTextIsUnchanged() {
    let text = "Grüße,\tשלום 👩‍💻\n"
    #expect(text.terminalSafe == text)
    #expect(text.terminalSafeJSON == text)
  }
}
