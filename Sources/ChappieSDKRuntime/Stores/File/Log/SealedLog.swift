import ChappieSDK
import SecretMemory

/// How the records of one file are sealed: so that they can be moved neither to another file nor to another place.
struct SealedLog {
  let header: LogHeader
  private let key: SecretBytes
  /// What the records of this file have in common.
  private let context: [UInt8]

  /// - Parameter name: what tells this file from the others of its kind.
  init(header: LogHeader, name: String, key: SecretBytes) {
    self.header = header
    self.key = key
    context = Array("\(header.kind.rawValue)\0\(name)\0".utf8)
  }

  /// A record as it is written.
  ///
  /// - Throws: ``ChappieThreadStoreError/full(_:)`` for more than a record can hold.
  func record(_ content: [UInt8], number: UInt64) throws -> [UInt8] {
    guard content.count < Self.contentLimit else {
      throw ChappieThreadStoreError.full(
        "The turn has more than \(Self.contentLimit >> 20) MiB: it is too large to store.")
    }
    let body = SealedBytes.sealContent(content, key: key, context: context(number))
    return LogFrame(number: number, bodyLength: UInt32(body.count)).bytes + body
  }

  /// The content of a record; nil when it was sealed otherwise, or changed since.
  func open(_ body: ArraySlice<UInt8>, number: UInt64) -> [UInt8]? {
    SealedBytes.openContent(body, key: key, context: context(number))
  }

  private static let contentLimit = 1 << 30

  private func context(_ number: UInt64) -> [UInt8] {
    context + String(number).utf8
  }
}
