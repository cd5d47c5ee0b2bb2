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

  @Test func theModelIsAskedForTheForm() async throws {
    let questions = ["", "--thread new", "--continue"].flatMap { [(Self.strict, $0), (Self.loose, $0)] }
    try await World.signedIn(each: questions) { world, _, question in
      let (schema, place) = question
      let output = try await world.shell(
        #"printf %s '\#(schema)' >s.json; rm -f kept; "$0" ask \#(place) --schema s.json -o kept Count && cat kept"#)
      let answer = schema == Self.strict ? #"{"n":0}"# : #"{"n":3}"#
      #expect(output.text == "\(answer)\n\(answer)\n")
    }
  }

  @Test func anAnswerThatDoesNotFitIsAFailure() async throws {
    let answers = [
      (#"{"n":"one"}"#, "The answer does not fit the schema: /n: must be an integer."),
      (#"{}"#, "The answer does not fit the schema: /: must have the property 'n'."),
      ("```json\n{\"n\":1}\n```", "The answer is no JSON."),
    ]
    try await World.signedIn(each: answers) { world, _, test in
      let (answer, message) = test
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

  @Test func aSchemaThatCannotBeCheckedIsRefused() async throws {
    let schemas = [
      ("none.json", "There is no file none.json."),
      (".", ". is a directory: name a file in it."),
      ("/dev/null", "The schema /dev/null is no regular file."),
      ("text", "The schema text is no JSON object, or has too many values."),
      ("list", "The schema list is no JSON object, or has too many values."),
      ("items", "The schema items cannot be used: #/properties/a/items must be an object, true or false."),
      (
        "type",
        "The schema type cannot be used: #/type must be object, array, string, integer, number, boolean or null."
      ),
      ("huge", "huge is longer than 256 KiB: send less."),
    ]
    try await World.with(World.Plan(service: .none), each: schemas) { world, schema in
      let (file, message) = schema
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
      #expect(output.status == 2)
      let searches = try await world.chappie("ask", "--search", "--search-cached", "What")
      #expect(searches.text == "chappie: --search and --search-cached exclude each other.\n")
      #expect(searches.status == 2)
    }
  }
}
