import GLibBridge

/// `chappie monitor`.
struct Monitor: Verb {
  static let name = "monitor"
  static let summary = "Print a line for each change of the sign-in"
  static let details = """
    With --json each line is an object that waybar's custom module takes: text, alt, class and tooltip, and the \
    session's own properties. It goes on when the service restarts.
    """

  let account: String?
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let json = parser.flag("json", "Print one JSON object a line")
    return { Monitor(account: $0[account], json: $0[json]) }
  }

  private enum Event: Sendable, Equatable {
    case changed(ObjectPath)
    case serviceCame
    case serviceLeft
  }

  func run(_ service: Service) async throws -> ExitStatus {
    let (events, event) = AsyncStream.makeStream(of: Event.self)
    // The first call starts the service; without one there is nothing to monitor.
    var session = try await service.session(account)
    let watch = service.connection.watchName(Service.name) { event.yield($0 == nil ? .serviceLeft : .serviceCame) }
    defer { withExtendedLifetime(watch) {} }
    let listener = service.connection.subscribe(
      .init(sender: Service.name, interface: "org.freedesktop.DBus.Properties")
    ) { event.yield(.changed($0.path)) }
    defer { withExtendedLifetime(listener) {} }
    var last: String?
    for await event in events {
      if case .changed(let path) = event, path != session { continue }
      if event == .serviceCame { session = try await service.session(account) }
      let line = event == .serviceLeft ? unavailable : try await current(service, session)
      if line != last { StandardStream.output.write(line + "\n") }
      last = line
      if StandardStream.output.failure != nil { break }
    }
    return .success
  }

  @GLibActor
  private func current(_ service: Service, _ session: ObjectPath) async throws -> String {
    let status = try SessionStatus(try await service.properties(session, "Session"))
    guard json else { return status.summary }
    var object = JSONObject()
    object.set("text", status.state == "signing-in" ? status.userCode ?? "…" : "")
    object.set("alt", status.state)
    object.set("class", status.state)
    object.set("tooltip", status.summary)
    return object.line.dropLast() + "," + status.json.line.dropFirst()
  }

  private var unavailable: String {
    guard json else { return "The service is not running" }
    var object = JSONObject()
    object.set("text", "")
    object.set("alt", "unavailable")
    object.set("class", "unavailable")
    object.set("tooltip", "The service is not running")
    return object.line
  }
}
