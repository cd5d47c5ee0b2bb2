import ChappieSDK
import GLibBridge

/// A credential slot in a person's words. It holds no e-mail address: notifications show on locked screens, on
/// shared ones and in histories.
struct SlotName {
  /// The stored account, where it is not the default one.
  private let account: String?
  /// The sandboxed app, access group or program whose slot it is; nil for the user's own.
  private let owner: String?

  init(_ slot: SlotIdentity) {
    let standard = ChappieConfiguration()
    account = slot.account == standard.keychainAccount ? nil : slot.account
    owner = slot.appID ?? slot.accessGroup ?? (slot.service == standard.keychainService ? nil : slot.service)
  }

  /// Such as `account “work” of org.example.App`; nil for the user's own default account.
  var text: String? {
    let account = account.map { "account “\(Self.shown($0))”" }
    let owner = owner.map(Self.shown)
    guard let account, let owner else { return account ?? owner }
    return "\(account) of \(owner)"
  }

  /// What signs in to the slot from a terminal; nil where nothing does, or where it cannot be shown as it is.
  var command: String? {
    guard owner == nil else { return nil }
    guard let account else { return "chappie sign-in" }
    guard Self.shown(account) == account else { return nil }
    return "chappie sign-in --account \(ShellText.quoted(account))"
  }

  /// Names are chosen by programs.
  private static func shown(_ name: String) -> String { name.shown(limit: 64) }
}
