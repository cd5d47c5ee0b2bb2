// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import ServiceConfiguration

/// The parts that all objects of the service share: callers, limits, approvals, consent and notifications.
@GLibActor
final class ServiceEnvironment {
  let connection: BusConnection
  let callers: Callers
  let signIns = SignIns()
  let groups = AccessGroups()
  let window: SendWindow
  let memory = MemoryBudget()
  /// Nil if the user has turned notifications off.
  let notifications: Notifications?
  let approvals: Approvals
  let consent: BackgroundConsent
  let models: ModelAliases

  init(_ connection: BusConnection, notifications: Notifications?, models: ModelAliases) {
    self.connection = connection
    callers = Callers(connection)
    window = SendWindow(connection)
    self.notifications = notifications
    approvals = Approvals(notifications)
    consent = BackgroundConsent(notifications)
    self.models = models
    BackendLine.admission = { [callers] application throws(ChappieClientError) in
      guard callers.allowsRequest(of: application) else {
        throw .limitExceeded("This program sends too many requests to ChatGPT: wait a moment before the next.")
      }
    }
  }

  /// Opens a page in the user's browser.
  var openPage: SignInOptions.OpenPage {
    { [connection] page, token in await WebPage.open(page, activationToken: token, over: connection) }
  }
}
