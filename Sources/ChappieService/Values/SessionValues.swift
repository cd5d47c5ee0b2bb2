// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ChappieAuthSession.Snapshot {
  /// The `State` property. An unknown state is shown as signed out; `LastError` tells why it is unknown.
  var busState: String {
    state == .restoring ? ChappieAuthState.signedOut.rawValue : state.rawValue
  }

  var busDeviceCode: VariantDictionary {
    guard let deviceCode else { return [:] }
    return [
      "user_code": deviceCode.userCode, "verification_uri": deviceCode.verificationURI,
      "expires_at": deviceCode.expiresAt,
    ]
  }

  /// The `BrowserPage` property.
  ///
  /// - Parameter isShown: whether the reader sees the address of the page.
  func busBrowserPage(isShown: Bool) -> VariantDictionary {
    guard let browserPage else { return [:] }
    var page: VariantDictionary = ["expires_at": browserPage.expiresAt]
    if isShown { page.set("authorization_uri", browserPage.authorizationURI) }
    return page
  }

  var busAccountInfo: VariantDictionary {
    var info = VariantDictionary()
    info.set("email", accountInfo?.email)
    info.set("user_id", accountInfo?.userID)
    info.set("account_id", accountInfo?.accountID)
    info.set("plan", accountInfo?.plan?.rawValue)
    return info
  }

  var busLastError: VariantDictionary {
    guard let lastError else { return [:] }
    return [
      "name": lastError.errorName.busName, "message": lastError.description,
      "requires_reauthentication": lastError.requiresReauthentication,
    ]
  }
}
