import GLibBridge

/// `chappie threads usage`.
struct ThreadUsage: Verb {
  static let name = "usage"
  static let summary = "Show how much room the threads take"

  let account: String?
  let json: Bool

  private struct Room {
    let used: UInt64
    let limit: UInt64
    let count: UInt32
    let archivedCount: UInt32

    init(_ values: VariantDictionary) throws {
      used = try values.value("used_bytes") ?? 0
      limit = try values.value("limit_bytes") ?? 0
      count = try values.value("thread_count") ?? 0
      archivedCount = try values.value("archived_count") ?? 0
    }

    var text: String {
      let used = ByteCount(bytes: used).text
      let size =
        limit == 0
        ? "\(used), without a limit"
        : "\(Bar(percent: Double(self.used) * 100 / Double(limit)).text)  \(used) of \(ByteCount(bytes: limit).text)"
      return "\(size)\n\(count) thread\(count == 1 ? "" : "s"), \(archivedCount) archived\n"
    }

    var json: JSONObject {
      var object = JSONObject()
      object.set("used_bytes", used)
      object.set("limit_bytes", limit)
      object.set("thread_count", count)
      object.set("archived_count", archivedCount)
      return object
    }
  }

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let json = parser.flag("json", "Print one JSON object")
    return { ThreadUsage(account: $0[account], json: $0[json]) }
  }

  func run(_ service: Service) async throws -> ExitStatus {
    let reply = try await KeptThreads(service, account: account).call("GetUsage")
    let room = try Room(try reply.member(0, "usage"))
    StandardStream.output.write(json ? room.json.line + "\n" : room.text)
    return .success
  }
}
