// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

extension Verb {
  /// `chappie sign-in`: signs in in the browser, or with a code.
  static let signIn = Verb(
    "sign-in", tr("Sign in to ChatGPT, in the browser or with a code"),
    details: tr(
      """
      Without --browser and --device-code it uses the method of the stored sign-in; for a first one the browser, if one \
      can be opened here, and else a code for a browser elsewhere. It ends when the account is linked. An earlier sign-in \
      stays valid until then. With --json it prints an object for each stage.
      """),
    account, plan, flag("after-first-unlock", tr("Let it be used while the screen is locked, too")), jsonLines
  ) { account, plan, afterFirstUnlock, json in
    Work(json: json) { service in
      let session = try await service.session(
        account, afterFirstUnlock ? .afterFirstUnlockThisDeviceOnly : .whenUnlockedThisDeviceOnly)
      // First, since it starts the service, and an attempt takes one that does not run for one that has ended.
      let before = try await service.status(session)
      let attempt = SignInAttempt(service, session, json: json)
      if StandardInput.isTerminal, !json { await announcePrompt(service) }
      do {
        try await attempt.start(plan, before)
      } catch {
        throw await withRemedy(CommandFailure(error), service)
      }
      let after = try await attempt.finish()
      if !json { tell(after, before) }
    }
  }

  /// The options that say how to sign in.
  private static var plan: VerbOption<SignInPlan> {
    VerbOption { parser in
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
      return { arguments in
        let needBrowser = [
          (browser, "--browser"), (paste, "--paste"), (connectAnew, "--connect-anew"),
          (enablePlanUse, "--enable-plan-use"),
        ].first { arguments[$0.0] }
        if arguments[deviceCode], let (_, other) = needBrowser {
          throw CommandLineError(tr("--device-code and \(other) exclude each other."))
        }
        return SignInPlan(
          wantedMethod: arguments[deviceCode] ? .deviceCode : needBrowser == nil ? nil : .browser,
          wantedWay: arguments[paste] ? .pasted : arguments[noOpen] || arguments[noBrowser] ? .shown : nil,
          addsAccount: arguments[anotherAccount], connectsAnew: arguments[connectAnew],
          enablesPlanUse: arguments[enablePlanUse])
      }
    }
  }

  private static func tell(_ after: SessionStatus, _ before: SessionStatus) {
    StandardStream.output.line("\(after.summary).")
    guard let use = after.planUse else { return }
    if use.kind != .enabled {
      StandardStream.output.line(use.sentence)
    } else if before.planUse == nil || before.planUse?.kind == .notGranted {
      let sentences = [tr("You're using your ChatGPT plan."), use.management].compactMap(\.self)
      StandardStream.output.line(sentences.joined(separator: " "))
    }
  }

  /// Says that the keyring's own window comes first, which may be behind the terminal.
  @GLibActor
  private static func announcePrompt(_ service: ServiceConnection) async {
    switch await KeyringView(service.connection).state {
    case .noCollection:
      StandardStream.output.line(tr("The keyring has no collection yet: it asks for a password for a new one."))
    case .locked: StandardStream.output.line(tr("The keyring is locked: it asks for its password."))
    case .absent, .silent, .unlocked: break
    }
  }

  /// The failure, and what to do if the keyring is the reason.
  @GLibActor
  private static func withRemedy(_ failure: CommandFailure, _ service: ServiceConnection) async -> CommandFailure {
    guard failure.status == .keyringNeeded, let remedy = await KeyringView(service.connection).remedyAfterPrompt else {
      return failure
    }
    return failure.with("\(failure.message) \(remedy)")
  }
}

extension Verb {
  /// `chappie sign-out`: removes the stored credential and revokes it.
  static let signOut = Verb(
    "sign-out", tr("Remove the stored sign-in and revoke it"), account,
    text("app", placeholder: tr("ID"), tr("Sign this application out, all accounts that it has without --account"))
  ) { account, app in
    Work.exiting { service in
      if let app { return try await signOut(app, account, service) }
      let session = try await service.session(account)
      try await service.call(session, "Session", "SignOut", timeout: nil)
      let status = try await service.status(session)
      if let name = status.errorName, ExitStatus(errorName: name) == .notRevoked {
        throw CommandFailure(busName: name, message: status.errorMessage ?? "")
      }
      StandardStream.output.line(tr("Signed out."))
      return .success
    }
  }

  @GLibActor
  private static func signOut(_ app: String, _ account: String?, _ service: ServiceConnection) async throws
    -> ExitStatus
  {
    do {
      let options: VariantDictionary = ["account": account]
      let reply = try await service.manager("SignOutApplication", .tuple(app, options), timeout: nil)
      let parts = try reply.member(0, "signed_out", as: [VariantDictionary].self).map(ErasedPart.init)
      for part in parts { part.report() }
      return ErasedPart.status(of: parts)
    } catch let error as GLibError where error.name == .invalidArgument {
      throw CommandFailure(
        .failed, tr("There is no such sign-in of \(app): chappie accounts lists those that there are."),
        name: error.busName)
    }
  }
}
