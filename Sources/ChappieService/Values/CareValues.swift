// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ServerCheck.Answer {
  /// The answer as `CheckServers` returns it.
  var dictionary: VariantDictionary {
    var values: VariantDictionary = ["server": server.rawValue, "host": host]
    switch outcome {
    case .answered(let status, let time):
      values.set("status", UInt32(clamping: status))
      values.set("time", time)
    case .untrusted(let reason):
      values.set("error", reason)
      values.set("untrusted", true)
    case .unreachable(let reason): values.set("error", reason)
    }
    return values
  }
}

extension StoredCredential {
  /// The credential as `ListCredentials` returns it.
  var dictionary: VariantDictionary {
    var values: VariantDictionary = ["account": account]
    values.set("app", application)
    values.set("access_group", accessGroup)
    values.set("method", method?.rawValue)
    values.set("state", state == .restoring ? nil : state.rawValue)
    return values
  }
}

extension Erasure.Part {
  /// The part as `Erase` returns it.
  var dictionary: VariantDictionary {
    var values: VariantDictionary = ["kind": kind.rawValue, "account": account]
    values.set("app", application)
    values.set("access_group", accessGroup)
    values.set("error", error?.errorName.busName)
    values.set("message", error?.description)
    return values
  }
}
