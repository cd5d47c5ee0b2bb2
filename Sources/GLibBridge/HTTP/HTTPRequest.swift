import SecretMemory

/// A request for ``HTTPSession``.
public struct HTTPRequest: Sendable {
  public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// The value of a header field.
  public enum FieldValue: Sendable {
    case plain(String)
    /// `prefix` followed by a secret, which stays in guarded memory until libsoup sends it.
    case secret(prefix: String, SecretBytes)
  }

  public enum Body: Sendable {
    case bytes([UInt8])
    /// A secret, which stays in guarded memory and is wiped with it.
    case secret(SecretBytes)
  }

  public var method: Method
  public var url: String
  public var headers: [(name: String, value: FieldValue)] = []
  public var body: Body?
  public var contentType: String?
  /// Called when the connection stands, before the first byte of the request leaves. A request that fails before has not
  /// reached the server.
  public var willSend: (@GLibActor @Sendable () -> Void)?

  public init(_ method: Method, _ url: String) {
    self.method = method
    self.url = url
  }

  public mutating func setHeader(_ name: String, _ value: String) {
    headers.append((name, .plain(value)))
  }

  public mutating func setHeader(_ name: String, prefix: String, secret: SecretBytes) {
    headers.append((name, .secret(prefix: prefix, secret)))
  }
}
