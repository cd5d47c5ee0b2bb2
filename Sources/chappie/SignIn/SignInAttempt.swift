// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Glibc
import LineEditing
import Platform

/// A sign-in that this command starts, or joins, and follows to its end.
@GLibActor
final class SignInAttempt {
  private enum Event: Sendable {
    case changed
    /// The service has ended.
    case lost
    case interrupted
    /// The input ended before an address came.
    case inputEnded
  }

  private let service: ServiceConnection
  private let session: ObjectPath
  private let json: Bool
  private let events: AsyncStream<Event>
  private let event: AsyncStream<Event>.Continuation
  /// The signals of the session, and the end of the service.
  private var observations: [Observation] = []
  private var interrupts: [UnixSignalWatch] = []
  private var reader: CallbackReader?
  /// The reading of addresses, with the entry that ended it.
  private var reading: Task<LineEditor.Entry, Never>?
  private var spinner: Spinner?
  private var expiresAt: Timestamp?
  /// Whether this command started it. Another program's sign-in goes on without this command.
  private var isOwn = true
  private var lastLine: String?
  /// The remedy for a page that does not let the browser return.
  private var remedy: String?

  /// - Parameter service: one that runs; another is taken for one that has ended.
  init(_ service: ServiceConnection, _ session: ObjectPath, json: Bool) {
    self.service = service
    self.session = session
    self.json = json
    (events, event) = AsyncStream.makeStream(of: Event.self)
    observations = [
      service.connection.subscribe(.init(sender: ServiceConnection.name, path: session)) { [event] _ in
        event.yield(.changed)
      },
      service.connection.watchName(ServiceConnection.name) { [event] in if $0 == nil { event.yield(.lost) } },
    ]
  }

  // MARK: Beginning

  /// Starts the sign-in, and shows its code or its page.
  ///
  /// - Parameter before: the state before.
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func start(_ plan: SignInPlan, _ before: SessionStatus) async throws {
    let method = await plan.method(before)
    let way = plan.way(for: method)
    // A terminal shows the code or the page, so no notification is needed.
    let notifies = !StandardStream.output.isTerminal
    switch method {
    case .deviceCode:
      isOwn = before.code == nil
      try await startWithCode(way, ["notify": notifies, "add_account": plan.addsAccount])
    case .browser:
      isOwn = before.deviceLinkState != .waitingForBrowser
      let options: VariantDictionary = [
        "notify": notifies, "add_account": plan.addsAccount, "register_anew": plan.connectsAnew,
        "enable_plan_use": plan.enablesPlanUse, "open": way == .opened, "paste": way == .pasted,
      ]
      try await startInBrowser(way, options)
    }
  }

  /// From the moment that something is shown, the first Ctrl-C ends the sign-in, and a second one this command.
  private func watchInterrupts() {
    interrupts = [SIGINT, SIGTERM].map { signal in
      UnixSignalWatch(signal) { [weak self] in
        self?.interrupts = []
        self?.event.yield(.interrupted)
      }
    }
  }

  private func startWithCode(_ way: SignInPlan.Way, _ options: VariantDictionary) async throws {
    // No timeout: the keyring may ask for its password first, and the user may take any time.
    let reply = try await service.call(session, "Session", "StartDeviceCodeSignIn", .tuple(options), timeout: nil)
    let code: String = try reply.member(0, "user_code")
    let page = try await page(reply.member(1, "verification_uri"))
    expiresAt = Timestamp(try reply.member(2, "expires_at", as: Int64.self))
    watchInterrupts()
    say(
      tr(
        """
        Open     \(page.text)
        Enter    \(code.terminalSafeLine)

        Continue only if you started this sign-in yourself. If somebody gave you this code, stop.
        """))
    if way == .opened { try? await Browser.open(page) }
  }

  private func startInBrowser(_ way: SignInPlan.Way, _ options: VariantDictionary) async throws {
    let reply: Variant
    do {
      reply = try await service.call(session, "Session", "StartBrowserSignIn", .tuple(options), timeout: nil)
    } catch let error as GLibError where error.isUnknownMethod {
      throw CommandFailure.olderService
    }
    let page = try await page(reply.member(0, "authorization_uri"))
    expiresAt = Timestamp(try reply.member(1, "expires_at", as: Int64.self))
    // The page is asked to name the application only when it is connected.
    if !page.text.contains("agent_name_hint=") {
      remedy = tr("If the page said that it does not know Chappie, run chappie sign-in --connect-anew.")
    }
    watchInterrupts()
    switch way {
    case .opened: say(tr("Your browser opens the page of the sign-in. If no window appears, open it yourself:"))
    case .shown: say(tr("Open this page in a browser on this computer:"))
    case .pasted: say(tr("Open this page in a browser on any computer:"))
    }
    say("\n\(page.text)\n")
    if way == .pasted {
      say(
        tr(
          """
          When you have approved there, that browser goes to an address that begins with http://127.0.0.1 and says that \
          it cannot be reached. Copy the whole address from its address bar, and paste it here.
          """) + "\n")
    }
    say(tr("Continue only if you started this sign-in yourself. If somebody gave you this address, stop."))
    if way == .pasted { try readAddresses() }
  }

  /// The address of the sign-in page. It is opened in a browser, so it must be a web address.
  ///
  /// - Throws: ``CommandFailure`` for another address; the sign-in is cancelled then.
  private func page(_ address: String) async throws -> WebPageAddress {
    if let page = WebPageAddress(address) { return page }
    await cancel()
    throw CommandFailure(
      .failed,
      tr("The service gave a sign-in address that is no web page; it was not opened: “\(address.terminalSafeLine)”."))
  }

  /// Writes a line for a person.
  private func say(_ text: String) {
    if !json { StandardStream.output.write(text + "\n") }
  }

  // MARK: The address of another computer's browser

  private func readAddresses() throws {
    let reader = try CallbackReader()
    self.reader = reader
    reading = Task.onGLib { [self] in
      while true {
        let entry = await reader.next()
        switch entry {
        case .line(let address):
          guard await complete(address) else { continue }
          self.reader = nil
          event.yield(.changed)
        case .interrupt: event.yield(.interrupted)
        case .end: event.yield(.inputEnded)
        }
        return entry
      }
    }
  }

  /// Hands the address over.
  ///
  /// - Returns: whether no other address is needed.
  private func complete(_ address: String) async -> Bool {
    do {
      try await service.call(session, "Session", "CompleteBrowserSignIn", .tuple(address))
      return true
    } catch {
      let failure = CommandFailure(error)
      // The sign-in may have ended meanwhile, which its state tells better.
      guard failure.name == ErrorName.invalidArgument.busName, (try? await service.status(session))?.state == .signingIn
      else {
        return true
      }
      CommandFailure.report(failure.message)
      return false
    }
  }

  // MARK: The end

  /// Waits for the end, and tells of the stages before it.
  ///
  /// - Returns: the state of the account that has signed in.
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func finish() async throws -> SessionStatus {
    defer {
      spinner?.stop()
      reading?.cancel()
      interrupts = []
    }
    let status: SessionStatus
    do {
      status = try await end()
    } catch {
      await leaveTerminal()
      throw error
    }
    await leaveTerminal()
    spinner?.stop()
    show(status)
    switch status.deviceLinkState {
    case .linked: return status
    case .cancelled: throw CommandFailure(.interrupted, withRemedy(tr("The sign-in was cancelled.")))
    default:
      let failure = CommandFailure(
        busName: status.errorName ?? "", message: status.errorMessage ?? tr("The sign-in ended without a result."))
      guard status.deviceLinkState == .expired else { throw failure }
      throw failure.with(withRemedy(failure.message))
    }
  }

  /// Waits for the end, and shows what comes before it.
  private func end() async throws -> SessionStatus {
    // The sign-in may have ended before the first signal is read.
    var status = try await laterStatus()
    var events = events.makeAsyncIterator()
    while status.state == .signingIn {
      show(status)
      switch await events.next() {
      case .changed: break
      case .interrupted:
        guard isOwn else { throw CommandFailure(.interrupted, tr("The sign-in goes on without this command.")) }
        await cancel()
      case .inputEnded:
        await cancel()
        throw CommandFailure(.usage, tr("The input ended before the address of the sign-in came; it was cancelled."))
      case .lost, nil: throw service.connection.isClosed ? CommandFailure.busLost : CommandFailure.serviceEnded
      }
      status = try await laterStatus()
    }
    return status
  }

  /// Gives the terminal back. Standard input that is no terminal may stay in a blocked thread.
  private func leaveTerminal() async {
    if let reader, reader.isAtTerminal {
      reader.end()
      if await reading?.value == .end { StandardStream.output.write("\n") }
    }
    reader = nil
  }

  private func withRemedy(_ sentence: String) -> String {
    [sentence, remedy].compactMap(\.self).joined(separator: " ")
  }

  private func show(_ status: SessionStatus) {
    if json {
      let line = status.json.line
      if line != lastLine { StandardStream.output.write(line + "\n") }
      lastLine = line
    }
    // The user types an address on this line.
    guard status.state == .signingIn, reader?.isAtTerminal != true else { return }
    if spinner == nil { spinner = Spinner(status.message, until: expiresAt) }
    spinner?.text = status.message
  }

  /// The current state of the session.
  ///
  /// - Throws: ``CommandFailure/serviceEnded`` if the service has gone: it answered an earlier call.
  private func laterStatus() async throws -> SessionStatus {
    do {
      return try await service.status(session)
    } catch {
      let failure = CommandFailure(error)
      throw failure.status == .serviceMissing && !service.connection.isClosed ? CommandFailure.serviceEnded : failure
    }
  }

  private func cancel() async {
    _ = try? await service.call(session, "Session", "CancelSignIn")
  }
}
