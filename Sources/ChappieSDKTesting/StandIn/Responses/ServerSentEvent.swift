import ChappieSDK

/// The frame of an event in the stream over HTTP.
enum ServerSentEvent {
  static func frame(_ event: ChappieJSONValue) -> [UInt8] {
    var frame: [UInt8] = []
    if let type = event["type"]?.stringValue { frame += "event: \(type)\n".utf8 }
    frame += "data: ".utf8
    frame += event.encoded
    frame += "\n\n".utf8
    return frame
  }
}
