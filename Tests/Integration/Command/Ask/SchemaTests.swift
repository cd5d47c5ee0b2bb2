// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie ask --schema`: an answer that is JSON of a schema.
@Suite(.worlds) @GLibActor
struct SchemaTests {
  private nonisolated static let strict =
    #"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#
  private nonisolated static let loose = #"{"type":"object","properties":{"n":{"type":"integer","minimum":3}}}"#

  @Test(arguments: [strict, loose], ["", "--thread new", "--continue"])
  func theModelIsAskedForTheForm(_ schema: String, _ place: String) async throws {
    try await World.signedIn { world, _ in
      let output = try await world.shell(
        #"printf %s '\#(schema)' >s.json; "$0" ask \#(place) --schema s.json -o kept Count && cat kept"#)
      let answer = schema == Self.strict ? #"{"n":0}"# : #"{"n":3}"#
      #expect(output.text == "\(answer)\n\(answer)\n")
    }
  }

  @Test(arguments: [
    (#"{"n":"one"}"#, "The answer does not fit the schema: /n: must be an integer."),
    (#"{}"#, "The answer does not fit the schema: /: must have the property 'n'."),
    ("```json\n{\"n\":1}\n```", "The answer is no JSON."),
  ])
  func anAnswerThatDoesNotFitIsAFailure(_ answer: String, _ message: String) async throws {
    try await World.signedIn { world, _ in
      let text = String(decoding: try JSONEncoder().encode(answer), as: UTF8.self)
      try await world.sandbox.play(#"[{"endpoint":"responses","text":\#(text),"times":2}]"#)
      let output = try await world.shell(
        #"""
        printf %s '\#(Self.strict)' >s.json; echo old >kept
        "$0" ask --schema s.json -o kept Count 2>error; echo $?; cat error kept
        "$0" ask --schema s.json --json Count 2>/dev/null | grep -c '"exit_status":13'
        """#)
      #expect(output.text == "13\n\(answer)\nchappie: \(message)\nold\n1\n")
    }
  }

  @Test(arguments: [
    ("none.json", "There is no file none.json."),
    (".", ". is a directory: name a file in it."),
    ("/dev/null", "The schema /dev/null is no regular file."),
    ("text", "The schema text is no JSON object, or has too many values."),
    ("list", "The schema list is no JSON object, or has too many values."),
    ("items", "The schema items cannot be used: #/properties/a/items must be an object, true or false."),
    ("type", "The schema type cannot be used: #/type must be object, array, string, integer, number, boolean or null."),
    ("huge", "huge is longer than 256 KiB: send less."),
  ])
  func aSchemaThatCannotBeCheckedIsRefused(_ file: String, _ message: String) async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let output = try await world.shell(
        #"""
        echo text >text; echo [] >list; echo '{"properties":{"a":{"items":1}}}' >items; echo '{"type":"text"}' >type
        truncate -s 100M huge; "$0" ask --schema \#(file) What
        """#)
      #expect(output.text == "chappie: --schema: \(message)\n")
      #expect(output.status == 2)
    }
  }

  @Test func optionsOfAQuestionExcludeEachOther() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let output = try await world.shell(#"echo '{}' >s.json; "$0" ask --schema s.json -x What"#)
      #expect(output.text == "chappie: --schema and --extract exclude each other.\n")
      let searches = try await world.chappie("ask", "--search", "--search-cached", "What")
      #expect(searches.text == "chappie: --search and --search-cached exclude each other.\n")
      #expect(searches.status == 2)
      #expect(output.status == 2)
    }
  }
}
