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
      """),
    account, flag("usage", tr("Show how much of the plan is used, not the sign-in")), jsonLines,
    flag("i3bar", tr("Print blocks for i3bar and swaybar"))
  ) { account, isUsage, json, i3bar in
    guard !(json && i3bar) else { throw CommandLineError(tr("--json and --i3bar exclude each other.")) }
    let format: MonitorFormat = json ? .json : i3bar ? .i3bar : .sentence
    return Work.exiting { service in
      try await Monitor(service: service, format: format).run(account: account, isUsage: isUsage)
    }
  }
}

/// The form of the lines of `chappie monitor`.
enum MonitorFormat: Sendable {
  /// A sentence.
  case sentence
  /// An object, for waybar's custom module.
  case json
  /// An array of one block, in the protocol of i3bar and swaybar.
  case i3bar

  func line(_ state: PanelState) -> String {
    switch self {
    case .sentence: state.sentence
    case .json: state.json.line
    case .i3bar: "[\(state.block.line)],"
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

  let service: ServiceConnection
  let format: MonitorFormat

  /// - Parameter isUsage: whether the usage is monitored, not the sign-in.
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func run(account: String?, isUsage: Bool) async throws -> ExitStatus {
    let (events, event) = AsyncStream.makeStream(of: Event.self)
    let reader = HangUpWatch(.output) { event.yield(.readerLeft) }
    // Other children of a panel may inherit the read end of the pipe and keep it open after the panel has ended.
    let parent = ParentWatch { event.yield(.parentLeft) }
    service.connection.onClosed { event.yield(.busLost) }
    let source = MonitorSource(service, account: account, isUsage: isUsage) { event.yield(.due) }
    // The first call starts the service. Without a service there is nothing to monitor.
    try await source.attach()
    let watch = service.connection.watchName(ServiceConnection.name) {
      event.yield($0 == nil ? .serviceLeft : .serviceCame)
    }
    let listener = service.connection.subscribe(
      .init(sender: ServiceConnection.name, interface: "org.freedesktop.DBus.Properties")
    ) { event.yield(.changed($0.path)) }
    defer { withExtendedLifetime((reader, parent, watch, listener)) {} }
    // The array has no end, which is the protocol's way.
    if format == .i3bar { StandardStream.output.line(#"{"version":1}"# + "\n[") }
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

  private func state(_ source: MonitorSource, after event: Event) async throws -> PanelState {
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
