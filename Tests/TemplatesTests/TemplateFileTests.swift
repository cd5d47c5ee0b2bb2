// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Templates
import TestSupport
import Testing

/// What a file of a template may have.
struct TemplateFileTests {
  private func template(_ text: String) throws -> Template {
    let directory = try TemporaryDirectory()
    return try withExtendedLifetime(directory) {
      try Template("name", at: directory.file("name.txt", text.utf8))
    }
  }

  private func expectProblem(_ problem: String, in text: String) {
    let error = #expect(throws: CommandLineError.self) { try template(text) }
    #expect(error?.description.hasSuffix("/name.txt cannot be used: \(problem).") == true, "\(error as Any)")
  }

  @Test(arguments: [
    ("[Template]\nModel=a\n", "its keys do not end at a line ---"),
    ("[Template]\nmodel=a\n---\n", "it has a key model= that cannot be read"),
    ("[Template]\n[Other]\n---\n", "its groups are [Template] and [Variables], not [Other]"),
    ("[Template]\n[Variables]\n1a=b\n---\n", "it has a variable 1a= that cannot be read"),
    ("[Template]\n[Variables]\ninput=b\n---\n", "it has a variable input= that cannot be read"),
    ("[Template]\nSurfaces=panel\n---\n", "Surfaces= is selection, not panel"),
    ("[Template]\nReplace=yes\n---\n", "Replace= is never, offer or at-once, not yes"),
    ("[Template]\nSurfaces=selection\n---\n$what", "an action needs a value of $what in [Variables]"),
    (
      "[Template]\nSurfaces=selection\nInstructions=Obey $input\n---\n",
      "the instructions of an action cannot have $input"
    ),
    ("a\0b", "it is no UTF-8 text"),
  ])
  func aWrongFileSaysWhatIsWrong(_ text: String, _ problem: String) {
    expectProblem(problem, in: text)
  }

  /// A surface holds all of them, and each with the longest selected text.
  @Test(arguments: [
    (String(repeating: "$input\n", count: 17), "an action has $input more than 16 times"),
    (String(repeating: "a", count: 65537), "an action is longer than 64 KiB"),
    (String(repeating: "$a\n", count: 9), "an action is longer than 64 KiB"),
  ])
  func anActionHasBounds(_ text: String, _ problem: String) throws {
    let head = "[Variables]\na=\(String(repeating: "b", count: 8000))\n---\n"
    expectProblem(problem, in: "[Template]\nSurfaces=selection\n" + head + text)
    #expect(try template("[Template]\n" + head + text).pieces.isEmpty)
  }

  @Test(arguments: [
    ("Shorten.", ["Shorten.\n\n", ""]), ("$input!", ["", "!"]), ("", ["", ""]),
    ("$$5, ${a}s and $input, $input\n", ["$5, locks and ", ", ", ""]),
  ])
  func anActionComesInPieces(_ text: String, _ pieces: [String]) throws {
    let action = try template("[Template]\nSurfaces=selection\n[Variables]\na=lock\n---\n" + text)
    #expect(action.pieces == pieces)
    #expect(action.title == "name")
    #expect(action.replacement == .never)
  }

  /// A value is never searched for variables.
  @Test func aValueIsNoTemplate() throws {
    let filled = try template("[Template]\nInstructions=In $a\n---\n$a: $input").filled(["a": "$input"], input: "$a")
    #expect(filled.question == "$input: $a")
    #expect(filled.instructions == "In $input")
  }
}
