import GLibBridge

/// The body of a request, without its coding.
enum RequestContent {
  case decoded([UInt8])
  case unsupported(String)

  init(_ request: HTTPServerRequest, zstd: Bool) {
    switch request.headers["content-encoding"]?.lowercased() {
    case nil, "identity": self = .decoded(request.body)
    case .some(let coding): self = .unsupported(coding)
    }
  }

  var bytes: [UInt8]? {
    if case .decoded(let bytes) = self { bytes } else { nil }
  }

  /// What the backend answers to a body that it cannot read.
  var refusal: HTTPServerResponse {
    switch self {
    case .decoded: .detail("The request body is not a JSON object")
    case .unsupported(let coding): .detail("Unsupported content encoding: \(coding)", status: 415)
    }
  }
}
