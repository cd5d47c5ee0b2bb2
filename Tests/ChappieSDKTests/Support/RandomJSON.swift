// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials

/// Makes random valid JSON objects with white space, escapes, nesting and unusual numbers.
struct RandomJSON {
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// The text of an object. The keys of an object differ, even after a change of one byte.
  mutating func object(depth: Int = 3) -> String {
    let members = (0..<Int.random(in: 0...4, using: &random)).map { index in
      space() + "\"" + String(repeating: "k", count: index + 1) + "\"" + space() + ":" + space()
        + value(depth: depth) + space()
    }
    return space() + "{" + space() + members.joined(separator: ",") + "}" + space()
  }

  private mutating func value(depth: Int) -> String {
    switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &random) {
    case 0: return ["true", "false", "null"].randomElement(using: &random) ?? "null"
    case 1: return ["0", "-0", "12", "-3.25", "1e3", "2E-2", "0.5e+1"].randomElement(using: &random) ?? "0"
    case 2...4: return string()
    case 5: return object(depth: depth - 1)
    default:
      let members = (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth - 1) + space() }
      return "[" + space() + members.joined(separator: "," + space()) + "]"
    }
  }

  private mutating func string() -> String {
    let pieces = [
      "a", "ä", "日", "😀", " ", "{", "}", "[", "]", ",", ":", "/", "\u{7F}", "\\\"", "\\\\", "\\/", "\\b", "\\f",
      "\\n", "\\r", "\\t", "\\u0041", "\\u00e4", "\\u20AC", "\\ud83d\\ude00", "\\uD834\\uDD1E", "\\u0001",
    ]
    let count = Int.random(in: 0...8, using: &random)
    return "\"" + (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined() + "\""
  }

  private mutating func space() -> String {
    ["", "", "", " ", "\n", "\t", "\r\n", "   "].randomElement(using: &random) ?? ""
  }
}

extension ChappieJSONValue {
  /// Reads JSON with Foundation, as a reference for this project's own parser.
  init(foundation json: some Collection<UInt8>) throws {
    self = try JSONDecoder().decode(ChappieJSONValue.self, from: Data(json))
  }
}

/// Random numbers that are the same in each run, which makes a failure reproducible (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
