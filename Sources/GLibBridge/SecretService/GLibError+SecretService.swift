// SPDX-License-Identifier: Apache-2.0
import CLibsecret

extension GLibError {
  /// The store error that corresponds to this error.
  var storeError: SecretStoreError { isLockedOrDismissed ? .locked : .unavailable(message) }

  private var isLockedOrDismissed: Bool {
    busName == "org.freedesktop.Secret.Error.IsLocked"
      || isSecret(SECRET_ERROR_IS_LOCKED)
      || domain == NonPromptingSecretService.errorDomain
  }

  /// Whether the called object does not exist.
  var isNoSuchObject: Bool {
    switch busName {
    case "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownObject":
      true
    default:
      isSecret(SECRET_ERROR_NO_SUCH_OBJECT)
    }
  }

  /// Whether the keyring has lost the session or left the bus.
  var isSessionLost: Bool {
    switch busName {
    case "org.freedesktop.Secret.Error.NoSession", "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject":
      true
    default:
      false
    }
  }

  /// Whether this is libsecret's error `code`.
  private func isSecret(_ code: SecretError) -> Bool {
    domain == String(cString: g_quark_to_string(secret_error_get_quark())) && self.code == Int32(code.rawValue)
  }
}
