import ChappieSDK
import GLibBridge

/// One (role, text) of a transcript on the bus.
struct TranscriptEntry: VariantConvertible {
  static var variantType: String { "(ss)" }

  let role: String
  let text: String

  var variant: Variant { .tuple(role, text) }

  init(role: String, text: String) {
    self.role = role
    self.text = text
  }

  init(variant: Variant) throws(VariantError) {
    role = try variant.member(0, "role")
    text = try variant.member(1, "text")
  }

  /// - Throws: `BusError` with `InvalidArgument` for a role that does not exist.
  func message() throws -> ChappieInputMessage {
    guard let role = ChappieInputMessage.Role(rawValue: role) else {
      let known = ChappieInputMessage.Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw BusError(.invalidArgument, "There is no role '\(role)': use one of \(known).")
    }
    return ChappieInputMessage(role: role, text: text)
  }
}
