import GLibBridge

/// The parts of a web address that decide whether it may receive a credential.
struct WebAddress {
  let isHTTPS: Bool
  let isLoopback: Bool

  /// Returns nil for anything but an absolute `http` or `https` address with a host and without user name and password.
  init?(_ text: String) {
    guard let address = ParsedURL(text), !address.hasCredentials, let host = address.host, !host.isEmpty else {
      return nil
    }
    switch address.scheme {
    case "https": isHTTPS = true
    case "http": isHTTPS = false
    default: return nil
    }
    isLoopback = address.isLoopback
  }
}
