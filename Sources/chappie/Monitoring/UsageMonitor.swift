import GLibBridge
import Platform

/// How much of the plan is used, in a line.
///
/// The service tells of each change. The backend is asked when nothing is known yet, and when a window starts anew,
/// which nobody else tells of.
@GLibActor
final class UsageMonitor: Monitored {
  /// How long to wait before the backend is asked again.
  private static let pause = Duration.seconds(300)

  private let service: ServiceConnection
  private let account: String?
  private let json: Bool
  private let again: @GLibActor () -> Void
  private var session = ServiceConnection.root
  private var client = ServiceConnection.root
  private var timer: Timer?
  /// When the backend was asked last.
  private var asked: ContinuousClock.Instant?

  /// - Parameter again: called when there may be another line without a change of an object.
  init(_ service: ServiceConnection, account: String?, json: Bool, again: @escaping @GLibActor () -> Void) {
    self.service = service
    self.account = account
    self.json = json
    self.again = again
  }

  func attach() async throws {
    session = try await service.session(account)
    client = try await service.openClient(account)
  }

  func depends(on path: ObjectPath) -> Bool { path == session || path == client }

  var unavailable: String { PanelText.unavailable(json: json) }

  func line() async throws -> String {
    timer?.cancel()
    let status = try SessionStatus(try await service.properties(session, "Session"))
    guard status.state == "signed-in" else { return told(status.summary) }
    do {
      let limits = try await limits()
      wake(at: limits.windows.compactMap(\.resetsAt).filter { $0 > LocalTime.now }.min())
      return json ? limits.json.line : limits.sentence
    } catch let error as GLibError where error.busName?.hasPrefix("org.chappie.Error.") == true {
      wake(after: Self.pause)
      return told(CommandFailure(error).message)
    }
  }

  private func limits() async throws -> UsageLimits {
    let known = try UsageLimits(try await service.properties(client, "Client").value("UsageLimits") ?? [:])
    let ended = known.windows.contains { ($0.resetsAt ?? .max) <= LocalTime.now }
    let mayAsk = asked.map { .now - $0 >= Self.pause } ?? true
    guard known.isEmpty || ended && mayAsk else { return known }
    asked = .now
    return try UsageLimits(try await service.call(client, "Client", "GetUsageLimits", timeout: nil).member(0, "limits"))
  }

  private func told(_ sentence: String) -> String {
    guard json else { return sentence.harmlessLine }
    return PanelText(text: "", kind: "unknown", tooltip: sentence.harmlessLine).json.line
  }

  // MARK: Time

  private func wake(at time: Int64?) {
    guard let time else { return }
    // A little later: clocks differ.
    wake(after: .seconds(time - LocalTime.now + 5))
  }

  private func wake(after delay: Duration) {
    timer = Timer(after: delay) { [weak self] in self?.again() }
  }
}
