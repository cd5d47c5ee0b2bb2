import GLibBridge
import Glibc
import Platform

/// `chappie sign-in`: signs in with a device code.
struct SignIn: Verb {
  static let name = "sign-in"
  static let summary = tr("Sign in to ChatGPT with a code")
  static let details = tr(
    """
    Shows a code and the page that takes it, and ends when the account is linked. An earlier sign-in \
    stays valid until then.
    """)

  let account: String?
  let accessibility: ServiceConnection.Accessibility
  let opensBrowser: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let noBrowser = parser.flag("no-browser", tr("Do not open the page in a browser"))
    let afterFirstUnlock = parser.flag("after-first-unlock", tr("Let it be used while the screen is locked, too"))
    return {
      SignIn(
        account: $0[account], accessibility: $0[afterFirstUnlock] ? .afterFirstUnlock : .whenUnlocked,
        opensBrowser: !$0[noBrowser])
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let session = try await service.session(account, accessibility)
    let signals = service.signals(session)
    // No timeout: the keyring may ask for its password first, and the user may take any time.
    // A terminal shows the code, so no notification is needed.
    let options: VariantDictionary = ["notify": !StandardStream.output.isTerminal]
    await announcePrompt(service)
    let reply: Variant
    do {
      reply = try await service.call(session, "Session", "StartDeviceCodeSignIn", .tuple(options), timeout: nil)
    } catch {
      throw await withRemedy(CommandFailure(error), service)
    }
    let code: String = try reply.member(0, "user_code")
    let page = try await page(reply, service, session)
    let expiresAt: Int64 = try reply.member(2, "expires_at")
    show(code, page)
    if opensBrowser, Browser.isReachable { try? await Browser.open(page) }

    let interrupt = Task.onGLib {
      _ = await UnixSignals.first(of: [SIGINT, SIGTERM])
      try await service.call(session, "Session", "CancelSignIn")
    }
    defer { interrupt.cancel() }
    let spinner = Spinner(tr("Waiting for you to approve…"), until: expiresAt)
    defer { spinner.stop() }
    return try await outcome(service, session, signals, spinner)
  }

  /// Says that the keyring's own window comes first, which may be behind the terminal.
  @GLibActor
  private func announcePrompt(_ service: ServiceConnection) async {
    guard StandardInput.isTerminal else { return }
    switch await KeyringView(service.connection).state {
    case .noCollection:
      StandardStream.output.write(tr("The keyring has no collection yet: it asks for a password for a new one.") + "\n")
    case .locked: StandardStream.output.write(tr("The keyring is locked: it asks for its password.") + "\n")
    case .absent, .silent, .unlocked: break
    }
  }

  /// The failure, and what to do if the keyring is the reason.
  @GLibActor
  private func withRemedy(_ failure: CommandFailure, _ service: ServiceConnection) async -> CommandFailure {
    guard failure.status == .keyringNeeded, let remedy = await KeyringView(service.connection).remedyAfterPrompt else {
      return failure
    }
    return CommandFailure(failure.status, "\(failure.message) \(remedy)", name: failure.name)
  }

  /// The address of the sign-in page. It is opened in a browser, so it must be a web address.
  ///
  /// - Throws: ``CommandFailure`` for another address; the sign-in is cancelled then.
  @GLibActor
  private func page(_ reply: Variant, _ service: ServiceConnection, _ session: ObjectPath) async throws
    -> WebPageAddress
  {
    let address: String = try reply.member(1, "verification_uri")
    if let page = WebPageAddress(address) { return page }
    _ = try? await service.call(session, "Session", "CancelSignIn")
    throw CommandFailure(
      .failed,
      tr("The service gave a sign-in address that is no web page; it was not opened: “\(address.terminalSafeLine)”."))
  }

  private func show(_ code: String, _ page: WebPageAddress) {
    StandardStream.output.write(
      tr(
        """
        Open     \(page.text)
        Enter    \(code.terminalSafeLine)

        Continue only if you started this sign-in yourself. If somebody gave you this code, stop.
        """) + "\n")
  }

  @GLibActor
  private func outcome(
    _ service: ServiceConnection, _ session: ObjectPath, _ signals: AsyncStream<BusSignal>, _ spinner: Spinner
  ) async throws -> ExitStatus {
    // The sign-in may have ended before the first signal is read.
    var status = try await status(service, session)
    var changes = signals.makeAsyncIterator()
    while status.state == "signing-in" {
      guard await changes.next() != nil else {
        throw service.connection.isClosed ? CommandFailure.busLost : CommandFailure.serviceEnded
      }
      status = try await self.status(service, session)
    }
    spinner.stop()
    switch status.deviceLinkState {
    case "linked":
      StandardStream.output.write("\(status.summary).\n")
      return .success
    case "cancelled":
      throw CommandFailure(.interrupted, tr("The sign-in was cancelled."))
    default:
      throw CommandFailure(
        busName: status.errorName ?? "", message: status.errorMessage ?? tr("The sign-in ended without a result."))
    }
  }

  /// The current state of the session.
  ///
  /// - Throws: ``CommandFailure/serviceEnded`` if the service has gone: it answered an earlier call.
  @GLibActor
  private func status(_ service: ServiceConnection, _ session: ObjectPath) async throws -> SessionStatus {
    do {
      return try SessionStatus(try await service.properties(session, "Session"))
    } catch {
      let failure = CommandFailure(error)
      throw failure.status == .serviceMissing && !service.connection.isClosed ? CommandFailure.serviceEnded : failure
    }
  }
}
