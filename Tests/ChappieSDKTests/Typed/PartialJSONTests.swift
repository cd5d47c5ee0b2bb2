// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The complete part of JSON text that is still arriving.
struct PartialJSONTests {
  @Test(arguments: [
    ("", nil), ("  ", nil), ("{", "{}"), (#"{"a"#, "{}"), (#"{"a":"#, "{}"), (#"{"a":"x"#, #"{"a":"x"}"#),
    (#"{"a":1"#, "{}"), (#"{"a":1 "#, #"{"a":1}"#), (#"{"a":1,"#, #"{"a":1}"#), (#"{"a":-1.5e"#, "{}"),
    (#"{"a":tru"#, "{}"), (#"{"a":null}"#, #"{"a":null}"#), (#"{"a":[1,2"#, #"{"a":[1]}"#),
    (#"{"a":[{"b":[],"c"#, #"{"a":[{"b":[]}]}"#), (#"{"a":"x\"#, #"{"a":"x"}"#), (#"{"a":"x\u00e"#, #"{"a":"x"}"#),
    (#"{"a":"x\ud83d"#, #"{"a":"x"}"#), (#"{"a":"x\ud83d\ude0"#, #"{"a":"x"}"#),
    (#"{"a":"x\ud83d\ude00"#, #"{"a":"x😀"}"#), (#"{"a":"x\n"#, #"{"a":"x\n"}"#), ("{]", "{}"), ("]", nil),
    ("nonsense", nil), ("true enough", nil), ("[1,", nil), (#""a"#, nil), (#"{"a":1}}}"#, #"{"a":1}"#),
    (#"{"a":01,"#, "{}"), (#"{"a":true"#, #"{"a":true}"#), (#"{"a":1,"a":2,"#, #"{"a":1}"#),
  ])
  func theBeginningHasACompletePart(_ text: String, _ part: String?) throws {
    #expect(try PartialJSON.read(text[...]) == part.map { try ChappieJSONValue(json: $0) })
  }

  private static let documents =
    [
      #"{"title":"Ärger \"im\" 😀 \ud834\udd1e\\","n":[-12.5e+3,0,true,false,null],"o":{"":{}},"t":"\u0041\/\t"}"#,
      #"{ "a" : [ [ ] , { "b" : "}]" } ] , "c" : "x" }"#,
    ]
    + (0..<20).map { seed in
      var random = RandomJSON(seed: UInt64(seed))
      return random.object()
    }

  @Test(arguments: documents)
  func everyPrefixHasAPrefixOfTheValue(_ text: String) throws {
    let whole = try ChappieJSONValue(json: text)
    var before: ChappieJSONValue?
    for end in text.unicodeScalars.indices {
      let part = PartialJSON.read(text[..<end])
      if let before { #expect(try before.isBeginning(of: #require(part))) }
      if let part { #expect(part.isBeginning(of: whole)) }
      before = part
    }
    #expect(PartialJSON.read(text[...]) == whole)
  }

  /// Nothing traps, whatever the text is.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func damagedTextIsReadToo(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = Array(Self.documents[0].utf8)
    for _ in 0..<50 {
      var damaged = bytes
      for _ in 0..<3 {
        let place = Int.random(in: bytes.indices, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = PartialJSON.read(String(decoding: damaged, as: UTF8.self)[...])
    }
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":1}"#), ("Let me see.\n\n{\"a\":1}", #"{"a":1}"#), ("{\"a\":1}\n\n{\"a\":2}", #"{"a":2}"#),
    ("Let me see.", "Let me see."), ("{\"a\":[\n\n{\"b\":1}", "{\"a\":[\n\n{\"b\":1}"),
    ("Now.\n\n{\"a\":[\n\n{}]}\n\n{\"a\":[\n\n{\"b\":1},", "{\"a\":[\n\n{\"b\":1},"),
    ("{Well}, \"so\n\n{\"a\":1}", #"{"a":1}"#), ("{\"a\":{]\n\n{\"a\":1}", "{\"a\":{]\n\n{\"a\":1}"),
    // What is in a damaged object is not the answer.
    ("{\"a\":\"b\n\n{ c }\"}", "{\"a\":\"b\n\n{ c }\"}"), ("{\"a\":[01,\n\n{\"b\":1}", "{\"a\":[01,\n\n{\"b\":1}"),
  ])
  func theDocumentIsTheLastParagraphWithAnObject(_ answer: String, _ document: String) {
    #expect(PartialJSON.document(in: answer) == document)
  }
}

extension ChappieJSONValue {
  /// Whether this value can be what was there earlier of `whole`.
  fileprivate func isBeginning(of whole: ChappieJSONValue) -> Bool {
    switch (self, whole) {
    case (.object(let part), .object(let whole)):
      part.allSatisfy { name, value in whole[name].map(value.isBeginning) ?? false }
    case (.array(let part), .array(let whole)):
      part.count <= whole.count && zip(part, whole).allSatisfy { $0.isBeginning(of: $1) }
    case (.string(let part), .string(let whole)): whole.utf8.starts(with: part.utf8)
    default: self == whole
    }
  }
}
