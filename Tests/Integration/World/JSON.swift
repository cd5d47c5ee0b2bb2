// SPDX-License-Identifier: Apache-2.0

/// A value as JSON.
func json(_ value: some Encodable) -> String {
  String(decoding: (try? JSONEncoder().encode(value)) ?? Data(), as: UTF8.self)
}

extension Decodable {
  /// Reads JSON whose keys are in snake case.
  init(snakeCase json: some StringProtocol) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Self.self, from: Data(json.utf8))
  }

  /// Reads JSON from each line.
  static func lines(_ text: String) throws -> [Self] {
    try text.split(separator: "\n").map { try Self(snakeCase: $0) }
  }
}
