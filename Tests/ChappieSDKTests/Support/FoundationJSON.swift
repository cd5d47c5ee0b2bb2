import ChappieSDK
import FoundationEssentials

extension ChappieJSONValue {
  /// Reads JSON with Foundation, which this project's own reading is compared with.
  init(foundation json: some Collection<UInt8>) throws {
    self = try JSONDecoder().decode(ChappieJSONValue.self, from: Data(json))
  }
}
