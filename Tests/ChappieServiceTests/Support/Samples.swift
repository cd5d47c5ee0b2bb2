// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK
@testable import ChappieService

extension ChappieAuthSession.Snapshot {
  /// What these events make of a slot.
  init(after events: [SlotState.Event]) {
    var state = SlotState()
    for event in events { state.apply(event) }
    self.init(state)
  }
}

extension SlotName {
  init(service: String? = nil, account: String? = nil, group: String? = nil, app: String? = nil) {
    var configuration = ChappieConfiguration()
    configuration.keychainService = service ?? configuration.keychainService
    configuration.keychainAccount = account ?? configuration.keychainAccount
    configuration.keychainAccessGroup = group
    configuration.applicationID = app.map { .sandboxed($0) } ?? .desktopUser
    self.init(SlotIdentity(configuration))
  }
}

extension SignInStep {
  static let code = showCode(.sample)
  static let page = openPage(.sample, isElsewhere: false)
}

extension ChappieDeviceCode {
  static let sample = ChappieDeviceCode(
    userCode: "ABCD-12345", verificationURI: .init(address: "https://example.org/codex/device?a=1&b=2"),
    expiresAt: .init(unixSeconds: 7))
}

extension ChappieBrowserPage {
  static let sample = ChappieBrowserPage(
    authorizationURI: .init(address: "https://example.org/authorize?state=1"), expiresAt: .init(unixSeconds: 8))
}

extension ChappieResponse {
  static let sample = ChappieResponse(outputText: "text", responseID: "resp_1", model: "m", usage: ChappieTokenUsage())
}

extension FlowControl {
  var isPause: Bool { if case .pause = self { true } else { false } }
}
