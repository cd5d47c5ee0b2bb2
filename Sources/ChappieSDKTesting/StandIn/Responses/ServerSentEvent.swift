/// An event as the stream over HTTP frames it.
enum ServerSentEvent {
  static func frame(_ event: JSONValue) -> [UInt8] {
    var frame: [UInt8] = []
    if let type = event["type"]?.string { frame += "event: \(type)\n".utf8 }
    frame += "data: ".utf8
    event.append(to: &frame)
    frame += "\n\n".utf8
    return frame
  }
}
