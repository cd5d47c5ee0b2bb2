// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// What the sign-in page answered through the browser.
enum Callback: Sendable {
  /// An authorization code, and the client id that was issued, if the answer names one.
  case code(SecretBytes, clientID: String?)
  /// An error code of OAuth, such as `access_denied`: letters, digits, `_` and `-`.
  case refused(code: String)
}

/// Receives the browser when it returns from the sign-in page, on a port of this machine.
///
/// Every local program and every web page can make requests here, so a request that is not the awaited one is refused
/// and ends nothing. The awaited one is sent on to an address without a code, which shows the outcome.
@GLibActor
final class CallbackListener {
  private enum Browser {
    /// It has not returned, or the user has pasted its address.
    case elsewhere
    /// It has brought the callback, and has not asked for the page.
    case underWay
    /// The attempt has ended meanwhile. The timer keeps this object alive.
    case awaited(Timer)
    case arrived
  }

  /// The address to which the sign-in page sends the browser: `http://127.0.0.1:PORT/auth/callback`.
  nonisolated var redirectURI: String { address.uri }
  private nonisolated let address: CallbackAddress
  private let expected: (state: SecretBytes, issuer: String)
  private let patience: Duration
  private let farewell: Duration
  private let listener: LoopbackListener
  private let first = Promise<Callback>()
  private let outcome = Promise<CallbackPage>()
  private var browser = Browser.elsewhere

  /// Listens.
  ///
  /// - Parameters:
  ///   - state: the parameter `state` of this attempt.
  ///   - issuer: the server's identity, which a parameter `iss` must equal (RFC 9207).
  ///   - patience: the longest time that the browser waits for the outcome.
  ///   - farewell: the longest time that the listener outlives the attempt, for a browser that is on its way to the page.
  init(
    state: SecretBytes, issuer: String, patience: Duration = .seconds(60), farewell: Duration = .seconds(2)
  ) throws(ChappieAuthError) {
    do {
      listener = try LoopbackListener()
      address = CallbackAddress(port: listener.port)
      expected = (state, issuer)
      self.patience = patience
      self.farewell = farewell
      listener.serve { [weak self] request in
        await self?.answer(request) ?? CallbackPage.unknownAddress.answer
      }
    } catch {
      throw .network("no port of this computer is free for the browser's return")
    }
  }

  /// Waits for the first callback with the right state. Only one task may wait.
  ///
  /// - Throws: `CancellationError`.
  func callback() async throws -> Callback {
    try await first.value()
  }

  /// Takes the full address that a user copied from the browser of another machine.
  ///
  /// - Throws: ``ChappieAuthError/invalidAddress(_:)``, which tells what is wrong. The attempt goes on.
  func take(pasted text: String) throws(ChappieAuthError) {
    let callback = try address.parameters(ofPasted: text).callback(state: expected.state, issuer: expected.issuer)
    guard !first.isFulfilled else { throw .invalidAddress(en("this sign-in already has its answer")) }
    accept(callback)
  }

  /// Shows the outcome in the browser, and stops listening. Call it at the end of each attempt.
  func finish(_ page: CallbackPage) {
    outcome.fulfil(page)
    switch browser {
    case .elsewhere, .arrived: listener.stop()
    case .underWay: browser = .awaited(Timer(after: farewell) { self.listener.stop() })
    case .awaited: break
    }
  }

  /// Waits until a browser that has returned has the outcome, for three seconds at most. Call it after ``finish(_:)``.
  func browserLeft() async {
    if case .elsewhere = browser { return }
    try? await listener.end.value()
  }

  private func accept(_ callback: Callback) {
    if case .code(let code, _) = callback { TokensAtHand.note(code) }
    first.fulfil(callback)
  }

  private func answer(_ request: LoopbackRequest) async -> LoopbackAnswer {
    guard request.host == address.host else { return CallbackPage.notThisSignIn.answer }
    guard request.method == "GET" else { return CallbackPage.otherMethod.answer }
    if request.target.withBytes({ $0.elementsEqual(CallbackAddress.donePath.utf8) }) {
      return await answerWithOutcome().answer
    }
    do {
      guard let parameters = try CallbackAddress.parameters(ofTarget: request.target) else {
        return CallbackPage.unknownAddress.answer
      }
      let callback = try parameters.callback(state: expected.state, issuer: expected.issuer)
      guard !first.isFulfilled else { return CallbackPage.alreadyAnswered.answer }
      accept(callback)
    } catch {
      return CallbackPage.notThisSignIn.answer
    }
    browser = .underWay
    return LoopbackAnswer(status: 303, location: CallbackAddress.donePath)
  }

  private func answerWithOutcome() async -> CallbackPage {
    switch browser {
    case .elsewhere: return .unknownAddress
    case .underWay, .arrived: browser = .arrived
    case .awaited(let timer):
      timer.cancel()
      browser = .arrived
      listener.stop()
    }
    return (try? await withDeadline(patience) { [outcome] in try await outcome.value() }) ?? .unfinished
  }
}
