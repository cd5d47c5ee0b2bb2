import ChappieSDK
import GLibBridge
import HTTPTestServer

/// An answer with an error status as a frame, as in section 4.3 of the protocol.
enum ErrorFrame {
  static func json(_ response: HTTPServerResponse, _ headers: [(name: String, value: String)]) -> ChappieJSONValue {
    var fields: [String: ChappieJSONValue] = [:]
    for (name, value) in headers + response.head.headers where name != "content-type" {
      fields[name] = .string(value)
    }
    return [
      "type": "error", "status": ChappieJSONValue(response.head.status), "error": error(of: response),
      "headers": .object(fields),
    ]
  }

  /// The error of a body; what has none becomes the message of one.
  private static func error(of response: HTTPServerResponse) -> ChappieJSONValue {
    let body = try? ChappieJSONValue(parsing: response.body.span)
    if let error = body?["error"], error.objectValue != nil { return error }
    let text = body?["detail"]?.stringValue ?? String(decoding: response.body, as: UTF8.self)
    return ["type": "invalid_request_error", "code": .null, "message": .string(text)]
  }
}
