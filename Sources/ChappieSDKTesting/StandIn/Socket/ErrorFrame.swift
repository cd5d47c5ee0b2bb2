import GLibBridge
import HTTPTestServer

/// An answer with an error status as a frame, as in section 4.3 of the protocol.
enum ErrorFrame {
  static func json(_ response: HTTPServerResponse, _ headers: [(name: String, value: String)]) -> JSONValue {
    var fields: [JSONValue.Member] = []
    for (name, value) in headers + response.head.headers where name != "content-type" {
      fields.removeAll { $0.key == name }
      fields.append(.init(key: name, value: .string(value)))
    }
    return [
      "type": "error", "status": JSONValue(response.head.status), "error": error(of: response),
      "headers": .object(fields),
    ]
  }

  /// The error of a body; what has none becomes the message of one.
  private static func error(of response: HTTPServerResponse) -> JSONValue {
    let body = try? JSONValue(parsing: response.body)
    if let error = body?["error"], error.members != nil { return error }
    let text = body?["detail"]?.string ?? String(decoding: response.body, as: UTF8.self)
    return ["type": "invalid_request_error", "code": nil, "message": .string(text)]
  }
}
