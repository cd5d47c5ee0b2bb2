// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie monitor`: prints a line for each change.
struct Monitor: Verb {
  static let name = "monitor"
  static let summary = tr("Print a line for each change of the sign-in, or of the usage")
  static let details = tr(
    """
    With --json each line is an object that waybar's custom module takes: text, alt, class and tooltip, and the \
    properties themselves. With --i3bar each line is a block for i3bar and swaybar. It continues when the service restarts, and ends when its reader closes the pipe.
    """)

  let account: String?
  let usage: Bool
  let format: MonitorFormat

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let usage = parser.flag("usage", tr("Show how much of the plan is used, not the sign-in"))
    let json = parser.flag("json", tr("Print one JSON object a line"))
    let i3bar = parser.flag("i3bar", tr("Print blocks for i3bar and swaybar"))
    return { arguments in
      guard !(arguments[json] && arguments[i3bar]) else {
        throw CommandLineError(tr("--json and --i3bar exclude each other."))
      }
      let format: MonitorFormat = arguments[json] ? .json : arguments[i3bar] ? .i3bar : .sentence
      return Monitor(account: arguments[account], usage: arguments[usage], format: format)
    }
  }

  private enum Event: Sendable, Equatable {
    case changed(ObjectPath)
    /// The line may differ because time has passed.
    case due
    case serviceCame
    case serviceLeft
    case busLost
    case readerLeft
    /// The parent process, such as a panel, has ended.
    case parentLeft
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let (events, event) = AsyncStream.makeStream(of: Event.self)
    let reader = HangUpWatch(.output) { event.yield(.readerLeft) }
    // Other children of a panel may inherit the read end of the pipe and keep it open after the panel has ended.
    let parent = ParentWatch { event.yield(.parentLeft) }
    service.connection.onClosed { event.yield(.busLost) }
    let monitored = monitored(service) { event.yield(.due) }
    // The first call starts the service. Without a service there is nothing to monitor.
    try await monitored.attach()
    let watch = service.connection.watchName(ServiceConnection.name) {
      event.yield($0 == nil ? .serviceLeft : .serviceCame)
    }
    let listener = service.connection.subscribe(
      .init(sender: ServiceConnection.name, interface: "org.freedesktop.DBus.Properties")
    ) { event.yield(.changed($0.path)) }
    defer { withExtendedLifetime((reader, parent, watch, listener)) {} }
    if let head = format.head { StandardStream.output.write(head + "\n") }
    var last: String?
    for await event in events {
      switch event {
      case .busLost: throw CommandFailure.busLost
      case .readerLeft: return .success
      case .parentLeft:
        guard StandardStream.output.isPipeReadByItsCreator else { continue }
        return .success
      case .changed(let path) where !monitored.depends(on: path): continue
      default: break
      }
      let line = format.line(try await state(monitored, after: event))
      if line != last { StandardStream.output.write(line + "\n") }
      last = line
      if StandardStream.output.failure != nil { break }
    }
    return .success
  }

  @GLibActor
  private func monitored(_ service: ServiceConnection, onDue: @escaping @GLibActor () -> Void) -> any MonitorSource {
    usage
      ? UsageMonitor(service, account: account, onDue: onDue) : SignInMonitor(service, account: account)
  }

  @GLibActor
  private func state(_ monitored: any MonitorSource, after event: Event) async throws -> PanelState {
    guard event != .serviceLeft else { return .unavailable }
    do {
      if event == .serviceCame { try await monitored.attach() }
      return try await monitored.state()
    } catch let error as GLibError where Self.serviceEnded.contains(error.busName ?? "") {
      // The service ended during the call. The next event says so.
      return .unavailable
    }
  }

  /// The errors of a call to a service that ended before it answered.
  private static let serviceEnded = [
    "NoReply", "Disconnected", "ServiceUnknown", "NameHasNoOwner", "UnknownMethod", "UnknownObject",
  ].map { "org.freedesktop.DBus.Error.\($0)" }
}
