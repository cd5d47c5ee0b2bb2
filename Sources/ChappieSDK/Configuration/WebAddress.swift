import GLibBridge

/// The parts of a web address that decide whether a credential may go there.
struct WebAddress {
  let isHTTPS: Bool
  let isLoopback: Bool

  /// Nil for anything but an absolute `http` or `https` address with a host and without credentials.
  init?(_ text: String) {
    guard let address = ParsedURL(text), !address.hasCredentials, let host = address.host, !host.isEmpty else {
      return nil
    }
    switch address.scheme {
    case "https": isHTTPS = true
    case "http": isHTTPS = false
    default: return nil
    }
    isLoopback = host == "localhost" || host == "::1" || Self.isLoopbackIPv4(host)
  }

  private static func isLoopbackIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil && $0.first?.isNumber == true }
  }
}
