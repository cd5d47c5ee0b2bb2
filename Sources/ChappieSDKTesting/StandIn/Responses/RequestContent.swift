import GLibBridge
import HTTPTestServer
import Platform

/// The decoded body of a request.
enum RequestContent {
  case decoded([UInt8])
  case malformed
  case tooLong
  case unsupported(String)

  /// The longest accepted body after decoding, in bytes.
  private static let limit = 16 << 20

  /// - Parameter zstd: whether a compressed body is accepted.
  init(_ request: HTTPServerRequest, zstd: Bool) {
    switch request.headers["content-encoding"]?.lowercased() {
    case nil, "identity": self = .decoded(request.body)
    case "zstd" where zstd: self.init(zstd: request.body)
    case .some(let coding): self = .unsupported(coding)
    }
  }

  private init(zstd body: [UInt8]) {
    do throws(Zstandard.DecodingError) {
      self = .decoded(try Zstandard.decode(body, limit: Self.limit))
    } catch {
      switch error {
      case .malformed: self = .malformed
      case .tooLong: self = .tooLong
      }
    }
  }

  var bytes: [UInt8]? {
    if case .decoded(let bytes) = self { bytes } else { nil }
  }

  /// The backend's answer to a body that it cannot read.
  var refusal: HTTPServerResponse {
    switch self {
    case .decoded: .detail("The request body is not a JSON object")
    case .malformed: .detail("The request body is not zstd")
    case .tooLong: .detail("The request body is too long", status: 413)
    case .unsupported(let coding): .detail("Unsupported content encoding: \(coding)", status: 415)
    }
  }
}
