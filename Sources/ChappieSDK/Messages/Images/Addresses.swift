// SPDX-License-Identifier: Apache-2.0
import GLibBridge

extension ParsedURL {
  /// Returns nil for anything but an absolute `http` or `https` address with a host and without user name and password.
  init?(web text: String) {
    self.init(text)
    guard ["https", "http"].contains(scheme), host?.isEmpty == false, !hasCredentials else { return nil }
  }
}

/// Addresses that hold their content.
enum DataURL {
  static func make(_ type: String, _ bytes: [UInt8]) -> String {
    var url = "data:\(type);base64,"
    url.reserveCapacity(url.utf8.count + (bytes.count + 2) / 3 * 4)
    // Each part ends with a base64 group, so that no second copy of the whole is needed.
    for start in stride(from: 0, to: bytes.count, by: partSize) {
      url += Base64.encode(Array(bytes[start..<min(start + partSize, bytes.count)]))
    }
    return url
  }

  private static let partSize = 48 << 10

  /// The longest text before the content, in bytes.
  private static let headLimit = 2048

  /// What stands before the content. Nil if there is none, or too much.
  static func head(of url: String) -> Substring? {
    url.utf8.prefix(headLimit).firstIndex(of: UInt8(ascii: ",")).map { url[..<$0] }
  }

  /// The parameters and the content of an address in base64; nil for any other.
  static func content(of url: String) -> (parameters: [Substring], data: [UInt8])? {
    guard url.hasPrefix("data:"), let head = head(of: url) else { return nil }
    let parameters = head.split(separator: ";")
    let text = url.utf8[url.utf8.index(after: head.endIndex)...]
    guard parameters.last == "base64", let data = Base64.decode(text) else { return nil }
    return (parameters.dropLast(), data)
  }

  /// The size of the content of an address in base64, in bytes.
  static func byteCount(_ url: String) -> Int {
    guard let head = head(of: url) else { return 0 }
    let text = url.utf8[url.utf8.index(after: head.endIndex)...]
    return max(0, text.count / 4 * 3 - text.suffix(2).count { $0 == UInt8(ascii: "=") })
  }
}
