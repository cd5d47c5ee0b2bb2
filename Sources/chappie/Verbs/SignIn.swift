// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// `chappie sign-in`: signs in in the browser, or with a code.
struct SignIn: Verb {
  static let name = "sign-in"
  static let summary = tr("Sign in to ChatGPT, in the browser or with a code")
  static let details = tr(
    """
    Without --browser and --device-code it uses the method of the stored sign-in; for a first one the browser, if one \
    can be opened here, and else a code for a browser elsewhere. It ends when the account is linked. An earlier sign-in \
    stays valid until then. With --json it prints an object for each stage.
    """)

  let account: String?
  let accessibility: ChappieKeychainAccessibility
  let wishes: SignInWishes
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let browser = parser.flag("browser", tr("Sign in in the browser"))
    let deviceCode = parser.flag("device-code", tr("Sign in with a code, which a browser anywhere takes"))
    let paste = parser.flag(
      "paste", tr("Sign in in a browser on another computer, and ask for the address at which it arrives"))
    let noOpen = parser.flag("no-open", tr("Print the address of the page, and do not open it"))
    let noBrowser = parser.flag("no-browser", tr("The same as --no-open"))
    let anotherAccount = parser.flag("another-account", tr("Let another account replace the stored one"))
    let connectAnew = parser.flag(
      "connect-anew", tr("Connect Chappie anew, after it was removed in the settings of ChatGPT"))
    let enablePlanUse = parser.flag("enable-plan-use", tr("Ask again for the use of your ChatGPT plan"))
    let afterFirstUnlock = parser.flag("after-first-unlock", tr("Let it be used while the screen is locked, too"))
    let json = parser.flag("json", tr("Print one JSON object a line"))
    return { arguments in
      if arguments[deviceCode] {
        let others = [
          (browser, "--browser"), (paste, "--paste"), (connectAnew, "--connect-anew"),
          (enablePlanUse, "--enable-plan-use"),
        ]
        if let other = others.first(where: { arguments[$0.0] }) {
          throw CommandLineError(tr("--device-code and \(other.1) exclude each other."))
        }
      }
      let needsBrowser = [browser, paste, connectAnew, enablePlanUse].contains { arguments[$0] }
      let wishes = SignInWishes(
        method: arguments[deviceCode] ? .deviceCode : needsBrowser ? .browser : nil,
        way: arguments[paste] ? .pasted : arguments[noOpen] || arguments[noBrowser] ? .shown : nil,
        addsAccount: arguments[anotherAccount], connectsAnew: arguments[connectAnew],
        enablesPlanUse: arguments[enablePlanUse])
      return SignIn(
        account: arguments[account],
        accessibility: arguments[afterFirstUnlock] ? .afterFirstUnlockThisDeviceOnly : .whenUnlockedThisDeviceOnly,
        wishes: wishes, json: arguments[json])
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let attempt = SignInAttempt(service, try await service.session(account, accessibility), json: json)
    let before = try await attempt.status()
    let plan = await SignInPlan(wishes, before)
    await announcePrompt(service)
    do {
      try await attempt.start(plan, before)
    } catch {
      throw await withRemedy(CommandFailure(error), service)
    }
    let after = try await attempt.finish()
    guard !json else { return .success }
    StandardStream.output.write("\(after.summary).\n")
    if let use = after.planUse {
      if use.kind != .enabled {
        StandardStream.output.write("\(use.sentence)\n")
      } else if before.planUse == nil || before.planUse?.kind == .notGranted {
        let sentences = [tr("You're using your ChatGPT plan."), use.management].compactMap(\.self)
        StandardStream.output.write(sentences.joined(separator: " ") + "\n")
      }
    }
    return .success
  }

  /// Says that the keyring's own window comes first, which may be behind the terminal.
  @GLibActor
  private func announcePrompt(_ service: ServiceConnection) async {
    guard StandardInput.isTerminal, !json else { return }
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
    return failure.with("\(failure.message) \(remedy)")
  }
}
