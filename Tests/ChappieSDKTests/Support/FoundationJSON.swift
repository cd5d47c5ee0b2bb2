// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials

extension ChappieJSONValue {
  /// Reads JSON with Foundation, as a reference for this project's own parser.
  init(foundation json: some Collection<UInt8>) throws {
    self = try JSONDecoder().decode(ChappieJSONValue.self, from: Data(json))
  }
}
