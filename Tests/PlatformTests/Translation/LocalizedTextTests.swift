// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Platform

@Suite struct LocalizedTextTests {
  @Test func eachInterpolationIsANumberedPlaceOfTheKey() {
    let text: LocalizedText = "\("Ada") is at 100% of \(3)"
    #expect(text.key == "%1$s is at 100%% of %2$s")
    #expect(text.filled(into: text.key) == "Ada is at 100% of 3")
  }

  @Test func aTranslationMayReorderRepeatAndOmitPlaces() {
    let text: LocalizedText = "\("one") then \("two")"
    #expect(text.filled(into: "%2$s after %1$s, so %2$s: 100%%") == "two after one, so two: 100%")
    #expect(text.filled(into: "%2$s") == "two")
    // A value is no template.
    let odd: LocalizedText = "“\("%1$s %%")”"
    #expect(odd.filled(into: odd.key) == "“%1$s %%”")
  }

  @Test(arguments: ["%", "%%%", "%3$s", "%0$s", "%1$", "%x", "%99999999999999999999$s"])
  func aDamagedTemplateIsShownAsItIs(template: String) {
    let text: LocalizedText = "\("value")"
    #expect(text.filled(into: template) == template.replacing("%%", with: "%"))
  }

  @Test func theNumberSelectsTheForm() {
    func turns(_ count: Int) -> String { tr(count, one: "\(count) turn", other: "\(count) turns") }
    #expect([0, 1, 2].map(turns) == ["0 turns", "1 turn", "2 turns"])
    #expect(tr("Open", context: "verb") == "Open", "a context is not shown")
    #expect(tr("50%% of %1$s") == "50%% of %1$s", "without a value percent signs mean nothing")
  }

  @Test func aMessageInEnglishIsRecognisedByItsText() {
    func matched(_ message: String) -> String? {
      let text = LocalizedText(message, ofKey: "The file %1$s has %2$s bytes, 100%%.")
      return text?.convertingValues { $0.uppercased() }.original
    }
    #expect(matched("The file a has b has 3 bytes, 100%.") == "The file A has B HAS 3 bytes, 100%.")
    #expect(matched("The file “x” has 3 bytes, 100%.") == "The file “X” has 3 bytes, 100%.")
    #expect(matched("The file has 3 bytes, 100%.") == nil)
    #expect(matched("The file a has 3 bytes, 100%. More") == nil)
  }

  @Test func aMessageThatNoCatalogueHasIsNotChanged() {
    for message in ["", "It is 100% done.", "%1$s", "keys\u{4}en"] { #expect(Translation.of(message) == message) }
    let long = Translation.of(String(repeating: "x", count: 1 << 20))
    #expect(long.count == (16 << 10) + 1 && long.hasSuffix("…"), "more would take seconds to show")
  }
}

@Suite struct LocalizedNumberTests {
  /// The tests run in the locale C.UTF-8 or C, which has no groups.
  @Test func numbersHaveTheirDigits() {
    #expect([0, -1, 1_234_567, .max].map { LocalizedNumber.text($0) } == ["0", "-1", "1234567", "\(Int.max)"])
    #expect(LocalizedNumber.text(1.25, decimals: 1) == "1.2")
    #expect(LocalizedNumber.text(9.96, decimals: 1) == "10.0")
    #expect(LocalizedNumber.text(.greatestFiniteMagnitude, decimals: 0).count == 309)
  }
}
