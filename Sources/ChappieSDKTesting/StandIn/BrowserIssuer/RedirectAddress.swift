import FoundationEssentials

/// The address of a client's listener: `http`, the literal 127.0.0.1, a port, and a path.
struct RedirectAddress {
  /// The address as the client spelled it.
  let text: String
  /// The path, which stays the same for the life of a registration. The port may differ each time.
  let path: String

  /// Nil for any other address, `localhost` included.
  init?(_ text: String) {
    guard let url = URL(string: text), url.scheme == "http", url.host() == "127.0.0.1", url.port != nil,
      url.user() == nil, url.query() == nil, url.fragment() == nil, url.path().hasPrefix("/")
    else { return nil }
    self.text = text
    path = url.path()
  }

  /// The address with parameters.
  func adding(_ parameters: [(name: String, value: String)]) -> String {
    text + "?" + parameters.map { "\($0.name)=\(Self.escaped($0.value))" }.joined(separator: "&")
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character))
      return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
