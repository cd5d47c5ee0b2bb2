// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ChappieAuthSession.Snapshot {
  /// The `State` property. An unknown state is shown as signed out; `LastError` tells why it is unknown.
  var busState: String {
    state == .restoring ? ChappieAuthState.signedOut.rawValue : state.rawValue
  }

  var busDeviceCode: VariantDictionary {
    [
      "user_code": deviceCode?.userCode, "verification_uri": deviceCode?.verificationURI.address,
      "expires_at": deviceCode?.expiresAt.unixSeconds,
    ]
  }

  /// The `BrowserPage` property.
  ///
  /// - Parameter isShown: whether the reader sees the address of the page.
  func busBrowserPage(isShown: Bool) -> VariantDictionary {
    [
      "expires_at": browserPage?.expiresAt.unixSeconds,
      "authorization_uri": isShown ? browserPage?.authorizationURI.address : nil,
    ]
  }

  var busAccountInfo: VariantDictionary {
    [
      "email": accountInfo?.email, "user_id": accountInfo?.userID, "account_id": accountInfo?.accountID,
      "plan": accountInfo?.plan?.rawValue,
    ]
  }

  var busLastError: VariantDictionary {
    [
      "name": lastError?.errorName.busName, "message": lastError?.description,
      "requires_reauthentication": lastError?.requiresReauthentication,
    ]
  }
}

extension ServerCheck.Answer {
  /// The answer as `CheckServers` returns it.
  var dictionary: VariantDictionary {
    switch outcome {
    case .answered(let status, let time):
      ["server": server.rawValue, "host": host, "status": UInt32(clamping: status), "time": time]
    case .untrusted(let reason): ["server": server.rawValue, "host": host, "error": reason, "untrusted": true]
    case .unreachable(let reason): ["server": server.rawValue, "host": host, "error": reason]
    }
  }
}

extension StoredCredential {
  /// The credential as `ListCredentials` returns it.
  var dictionary: VariantDictionary {
    [
      "account": account, "app": application, "access_group": accessGroup, "method": method?.rawValue,
      "state": state == .restoring ? nil : state.rawValue,
    ]
  }
}

extension Erasure.Part {
  /// The part as `Erase` returns it.
  var dictionary: VariantDictionary {
    [
      "kind": kind.rawValue, "account": account, "app": application, "access_group": accessGroup,
      "error": error?.errorName.busName, "message": error?.description,
    ]
  }
}
