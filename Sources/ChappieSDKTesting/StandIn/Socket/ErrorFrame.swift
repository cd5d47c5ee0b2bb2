import ChappieSDK
import GLibBridge
import HTTPTestServer

/// Converts an HTTP error into a frame for a WebSocket.
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

  /// The member `error` of the body. A body without this member becomes the message of an error.
  private static func error(of response: HTTPServerResponse) -> ChappieJSONValue {
    let body = try? ChappieJSONValue(parsing: response.body.span)
    if let error = body?["error"], error.objectValue != nil { return error }
    let text = body?["detail"]?.stringValue ?? String(decoding: response.body, as: UTF8.self)
    return ["type": "invalid_request_error", "code": .null, "message": .string(text)]
  }
}
