import SecretMemory

/// The first line of a file: what it is, its version, the device that it was made on, and a checksum of these.
struct LogHeader: Equatable {
  enum Kind: String {
    case thread = "chappie-thread"
    case index = "chappie-index"
  }

  /// What the first bytes of a file are.
  enum Reading: Equatable {
    /// Records begin at `length`.
    case header(length: Int)
    case otherVersion
    case otherDevice
    /// It is no header, or not the one that was written.
    case damaged
  }

  static let version = "1"
  /// No header of any version is longer, in bytes.
  private static let lengthLimit = 256

  let kind: Kind
  let device: String

  var line: [UInt8] {
    let text = "\(kind.rawValue) \(Self.version) \(device)"
    return Array("\(text) \(Self.checksum(Array(text.utf8)[...]))\n".utf8)
  }

  func read(_ bytes: [UInt8]) -> Reading {
    let line = line
    if bytes.starts(with: line) { return .header(length: line.count) }
    guard let end = bytes.prefix(Self.lengthLimit).firstIndex(of: UInt8(ascii: "\n")),
      let space = bytes[..<end].lastIndex(of: UInt8(ascii: " ")),
      bytes[(space + 1)..<end].elementsEqual(Self.checksum(bytes[..<space]).utf8)
    else { return .damaged }
    let words = bytes[..<space].split(separator: UInt8(ascii: " "))
    guard words.count >= 2, words[0].elementsEqual(kind.rawValue.utf8) else { return .damaged }
    return words[1].elementsEqual(Self.version.utf8) ? .otherDevice : .otherVersion
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = String(SealedBytes.checksum(bytes.span), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
