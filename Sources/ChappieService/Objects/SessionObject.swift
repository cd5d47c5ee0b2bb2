// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import GLibBridge

/// `org.chappie.Session`: a sign-in on the bus.
@GLibActor
final class SessionObject: ServiceInterface {
  static let interface = "org.chappie.Session"
  static var xml: String { BusInterfaceFiles.session }

  /// The message for a sign-in that ended before this process started.
  private static let ended = ChappieClientError(.reauthenticationRequired).description

  let session: ChappieAuthSession
  let signals = InterfaceSignals()
  /// Called after each change of state, with the new one.
  var stateChanged: @GLibActor (ChappieAuthState) -> Void = { _ in }
  private var observations: [Observation] = []
  private let firstRestore: Task<Void, Never>
  private let notification: SlotNotification?
  private let environment: ServiceEnvironment
  /// Nil once it is closed.
  private var place: SignIns.Holder?
  /// The callers that have asked for the running sign-in in the browser. They alone see the address of its page, whose
  /// random values would let another program end the sign-in with an account of its own.
  private var pageReaders: Set<String> = []

  /// - Parameter place: an object that callers share, or the path of one that they open.
  init(_ configuration: ChappieConfiguration, _ environment: ServiceEnvironment, _ place: SignIns.Holder = .shared) {
    let session = Chappie.authSession(configuration: configuration)
    self.session = session
    self.place = place
    self.environment = environment
    notification = environment.notifications?.follow(session)
    firstRestore = Task.onGLib { _ = await session.restored() }
    observations = [
      session.observe { [weak self] old, new in self?.notify(old, new) },
      LockMonitor.shared.observation { [signals] in signals.compare() },
    ]
  }

  /// Waits for the first look-up in the keyring, so that no caller reads an unknown state.
  func ready(for request: BusRequest) async {
    await firstRestore.value
    if request.isPropertyRead { await LockMonitor.shared.ready() }
  }

  var methods: [String: Handler] {
    [
      "StartDeviceCodeSignIn": { [unowned self] call in try await startSignIn(call) },
      "StartBrowserSignIn": { [unowned self] call in try await startBrowserSignIn(call) },
      "CompleteBrowserSignIn": action { [session] call in try session.completeBrowserSignIn(call.argument(0)) },
      "CancelSignIn": action { [session] _ in session.cancelSignInAtOnce() },
      "SignOut": action { [session] call in try await session.signOutAndWait(interaction: call.interaction) },
    ]
  }

  var properties: [String: BusImplementation.Property] {
    [
      "Availability": { [session] _ in
        Availability(session.snapshot, LockMonitor.shared.state, LockMonitor.shared.sources).dictionary.variant
      },
      "State": { [session] _ in session.snapshot.busState.variant },
      "DeviceLinkState": { [session] _ in session.deviceLinkState.rawValue.variant },
      "DeviceCode": { [session] _ in session.snapshot.busDeviceCode.variant },
      "AuthMethod": { [session] _ in (session.signInMethod?.rawValue ?? "").variant },
      "PlanUse": { [session] _ in session.planUse.rawValue.variant },
      "ManageUsageUri": { [session] _ in (session.snapshot.manageUsageURL?.address ?? "").variant },
      "AccountInfo": { [session] _ in session.snapshot.busAccountInfo.variant },
      "LastError": { [session] _ in session.snapshot.busLastError.variant },
      "Configuration": { [session] _ in session.configuration.dictionary.variant },
      "SignInStep": { [unowned self] in session.snapshot.busSignInStep(isShown: isPageReader($0)).variant },
      "BrowserPage": { [unowned self] in session.snapshot.busBrowserPage(isShown: isPageReader($0)).variant },
    ]
  }

  private func isPageReader(_ caller: String?) -> Bool { pageReaders.contains(caller ?? "") }

  func wasExported() {
    signals.watch(properties)
  }

  /// Ends its sign-in, unless another object has a part in it.
  func close() {
    if case .opened(let path)? = place { environment.signIns.leave(path) }
    place = nil
  }

  /// Runs `start`, which starts a sign-in or joins the running one, for the caller of `call`.
  ///
  /// - Parameter isNew: false if it only joins.
  private func signIn<Shown: Sendable>(
    _ call: BusCall, isNew: Bool, _ start: () async throws -> Shown
  ) async throws -> Shown {
    let isTold = try call.argument(0, as: VariantDictionary.self).value("notify") ?? true
    let application = await environment.callers.application(of: call.sender)
    guard let place else { throw BusError(CancellationError()) }
    return try await environment.signIns.start(session, for: application, on: place, isNew: isNew) {
      if let notification { try await notification.signIn(isTold: isTold, start) } else { try await start() }
    }
  }

  private func startSignIn(_ call: BusCall) async throws -> Variant {
    let options: VariantDictionary = try call.argument(0)
    let addsAccount: Bool = try options.value("add_account") ?? false
    let code = try await signIn(call, isNew: session.deviceCode == nil) {
      try await session.startDeviceCodeSignIn(allowsAnotherAccount: addsAccount, interaction: call.interaction)
    }
    return .tuple(code.userCode, code.verificationURI.address, code.expiresAt.unixSeconds)
  }

  private func startBrowserSignIn(_ call: BusCall) async throws -> Variant {
    let options: VariantDictionary = try call.argument(0)
    let pastesAddress: Bool = try options.value("paste") ?? false
    let opensPage = try options.value("open") ?? true && !pastesAddress
    if opensPage { try await environment.callers.opensPage(call.sender) }
    let running = session.browserPage
    var wishes = SignInOptions(applicationName: try await registrationName())
    wishes.openPage = opensPage ? WebPage.opener(over: environment.connection) : nil
    wishes.asksForPlanUse = try options.value("enable_plan_use") ?? false
    wishes.allowsAnotherAccount = try options.value("add_account") ?? false
    wishes.registersAnew = try options.value("register_anew") ?? false
    wishes.pastesAddress = pastesAddress
    wishes.activationToken = try options.value("activation_token")
    // The first signal about the page may come before the reply.
    let isNewReader = pageReaders.insert(call.sender).inserted
    let page: ChappieBrowserPage
    do {
      page = try await signIn(call, isNew: session.browserPage == nil) { [wishes] in
        try await session.startBrowserSignIn(wishes, interaction: call.interaction)
      }
    } catch {
      if isNewReader { pageReaders.remove(call.sender) }
      throw error
    }
    if session.browserPage == page { pageReaders.insert(call.sender) }
    if page == running, let openPage = wishes.openPage {
      Task.onGLib { [wishes] in await openPage(page.authorizationURI.address, wishes.activationToken) }
    }
    return .tuple(page.authorizationURI.address, page.expiresAt.unixSeconds)
  }

  /// The name under which the issuer registers the application of this slot.
  ///
  /// - Throws: `BusError` with `AccessDenied` for an access group that is not one application.
  private func registrationName() async throws -> String {
    if let group = session.configuration.keychainAccessGroup, try await !environment.groups.isOfOneDeveloper(group) {
      throw BusError(
        .accessDenied,
        "The apps of the access group '\(group)' have several developers, and each has to be connected to ChatGPT by "
          + "itself: sign in without the group, or with a device code.")
    }
    return await ApplicationName.registered(session.configuration)
  }

  /// Signals the properties that have changed.
  private func notify(_ old: ChappieAuthSession.Snapshot, _ new: ChappieAuthSession.Snapshot) {
    if old.browserPage != nil, new.browserPage == nil { pageReaders = [] }
    signals.compare()
    guard old.state != new.state else { return }
    if old.busState != new.busState {
      signals.emit("StateChanged", .tuple(new.busState, old.busState))
    }
    if new.state == .reauthenticationRequired {
      signals.emit("ReauthenticationRequired", .tuple(new.lastError?.description ?? Self.ended))
    }
    stateChanged(new.state)
  }
}
