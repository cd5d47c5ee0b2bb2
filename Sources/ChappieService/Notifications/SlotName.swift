import ChappieSDK
import GLibBridge
import Platform

/// The name of a credential slot for people. It has no e-mail address, since notifications appear on locked screens,
/// on shared screens and in histories.
struct SlotName {
  /// The stored account; nil for the default one.
  private let account: String?
  /// The sandboxed app, access group or program whose slot it is; nil for the user's own.
  private let owner: String?

  init(_ slot: SlotIdentity) {
    let standard = ChappieConfiguration()
    account = slot.account == standard.keychainAccount ? nil : slot.account
    owner = slot.appID ?? slot.accessGroup ?? (slot.service == standard.keychainService ? nil : slot.service)
  }

  /// Whether the slot is the user's own, with the default account.
  var isDefault: Bool { account == nil && owner == nil }

  /// A phrase such as `account “work” of org.example.App`; nil for the user's own default account.
  var text: String? {
    let account = account.map { tr("account “\(Self.shown($0))”") }
    let owner = owner.map(Self.shown)
    guard let account, let owner else { return account ?? owner }
    return tr("\(account) of \(owner)")
  }

  /// The terminal command that signs in to the slot, or shows the page of a running sign-in; nil if there is none, or if it cannot be shown unchanged.
  var command: String? {
    guard owner == nil else { return nil }
    guard let account else { return "chappie sign-in" }
    guard Self.shown(account) == account else { return nil }
    return "chappie sign-in --account \(ShellText.quoted(account))"
  }

  /// Makes a name safe to show, since programs choose names.
  private static func shown(_ name: String) -> String { name.shown(limit: 64) }
}
