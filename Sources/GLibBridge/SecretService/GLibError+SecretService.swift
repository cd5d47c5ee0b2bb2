import CLibsecret

extension GLibError {
  /// What this error of a keyring comes to.
  var storeError: SecretStoreError { isLockedOrDismissed ? .locked : .unavailable(message) }

  private var isLockedOrDismissed: Bool {
    busName == "org.freedesktop.Secret.Error.IsLocked"
      || isSecret(SECRET_ERROR_IS_LOCKED)
      || domain == NonPromptingSecretService.errorDomain
  }

  /// Whether what was called is not there.
  var isNoSuchObject: Bool {
    switch busName {
    case "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownObject":
      true
    default:
      isSecret(SECRET_ERROR_NO_SUCH_OBJECT)
    }
  }

  /// Whether the keyring does not know the session any more, or has gone.
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

  /// Whether this is `code` of libsecret's own errors.
  private func isSecret(_ code: SecretError) -> Bool {
    domain == String(cString: g_quark_to_string(secret_error_get_quark())) && self.code == Int32(code.rawValue)
  }
}
