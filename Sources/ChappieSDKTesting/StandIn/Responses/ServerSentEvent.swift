import ChappieSDK

/// An event as the stream over HTTP frames it.
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
