// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension Verb {
  /// `chappie monitor`: prints a line for each change.
  static let monitor = Verb(
    "monitor", tr("Print a line for each change of the sign-in, or of the usage"),
    details: tr(
      """
      With --json each line is an object that waybar's custom module takes: text, alt, class and tooltip, and the \
      properties themselves. With --i3bar each line is a block for i3bar and swaybar. It continues when the service restarts, and ends when its reader closes the pipe.
      """)
  ) { parser in
    let account = parser.account()
    let usage = parser.flag("usage", tr("Show how much of the plan is used, not the sign-in"))
    let json = parser.jsonLines()
    let i3bar = parser.flag("i3bar", tr("Print blocks for i3bar and swaybar"))
    return { arguments in
      guard !(arguments[json] && arguments[i3bar]) else {
        throw CommandLineError(tr("--json and --i3bar exclude each other."))
      }
      let format: MonitorFormat = arguments[json] ? .json : arguments[i3bar] ? .i3bar : .sentence
      return Work { service in
        try await Monitor(service, format).run { onDue -> any MonitorSource in
          if arguments[usage] { return UsageMonitor(service, account: arguments[account], onDue: onDue) }
          return SignInMonitor(service, account: arguments[account])
        }
      }
    }
  }
}

/// Prints a line for each change of what is monitored.
@GLibActor
struct Monitor {
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

  private let service: ServiceConnection
  private let format: MonitorFormat

  init(_ service: ServiceConnection, _ format: MonitorFormat) {
    self.service = service
    self.format = format
  }

  /// - Parameter make: makes the source; it gets what to call when time alone may have changed the line.
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func run(_ make: (@escaping @GLibActor () -> Void) -> any MonitorSource) async throws -> ExitStatus {
    let (events, event) = AsyncStream.makeStream(of: Event.self)
    let reader = HangUpWatch(.output) { event.yield(.readerLeft) }
    // Other children of a panel may inherit the read end of the pipe and keep it open after the panel has ended.
    let parent = ParentWatch { event.yield(.parentLeft) }
    service.connection.onClosed { event.yield(.busLost) }
    let source = make { event.yield(.due) }
    // The first call starts the service. Without a service there is nothing to monitor.
    try await source.attach()
    let watch = service.connection.watchName(ServiceConnection.name) {
      event.yield($0 == nil ? .serviceLeft : .serviceCame)
    }
    let listener = service.connection.subscribe(
      .init(sender: ServiceConnection.name, interface: "org.freedesktop.DBus.Properties")
    ) { event.yield(.changed($0.path)) }
    defer { withExtendedLifetime((reader, parent, watch, listener)) {} }
    if let head = format.head { StandardStream.output.line(head) }
    var last: String?
    for await event in events {
      switch event {
      case .busLost: throw CommandFailure.busLost
      case .readerLeft: return .success
      case .parentLeft:
        guard StandardStream.output.isPipeReadByItsCreator else { continue }
        return .success
      case .changed(let path) where !source.depends(on: path): continue
      default: break
      }
      let line = format.line(try await state(source, after: event))
      if line != last { StandardStream.output.line(line) }
      last = line
      if StandardStream.output.failure != nil { break }
    }
    return .success
  }

  private func state(_ source: any MonitorSource, after event: Event) async throws -> PanelState {
    guard event != .serviceLeft else { return .unavailable }
    do {
      if event == .serviceCame { try await source.attach() }
      return try await source.state()
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
