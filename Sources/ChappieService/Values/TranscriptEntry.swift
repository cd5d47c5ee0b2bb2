import ChappieSDK
import GLibBridge

/// A message of a transcript on the bus: its role and its text.
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

  /// The message of the entry.
  ///
  /// - Throws: `BusError` with `InvalidArgument` if the role does not exist.
  func message() throws -> ChappieInputMessage {
    guard let role = ChappieInputMessage.Role(rawValue: role) else {
      let known = ChappieInputMessage.Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw BusError(.invalidArgument, "There is no role '\(role)': use one of \(known).")
    }
    return ChappieInputMessage(role: role, text: text)
  }
}
