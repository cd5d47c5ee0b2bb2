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

  @Test func theModelIsAskedForTheFormAndTheAnswerIsChecked() async throws {
    let answers = [
      (#"{"n":"one"}"#, "The answer does not fit the schema: /n: must be an integer."),
      (#"{}"#, "The answer does not fit the schema: /: must have the property 'n'."),
      ("```json\n{\"n\":1}\n```", "The answer is no JSON."),
    ]
    try await World.signedIn { world, _ in
      for place in ["--continue", "", "--thread new"] {
        for (schema, answer) in [(Self.strict, #"{"n":0}"#), (Self.loose, #"{"n":3}"#)] {
          let output = try await world.shell(
            #"printf %s '\#(schema)' >s.json; rm -f kept; "$0" ask \#(place) --schema s.json -o kept Count && cat kept"#
          )
          #expect(output.text == "\(answer)\n\(answer)\n", "\(place)")
        }
      }
      for (answer, message) in answers {
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
  }
}
