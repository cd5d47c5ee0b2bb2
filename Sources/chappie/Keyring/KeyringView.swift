// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The keyring as every program on the bus sees it, and what a person can do about it.
@GLibActor
struct KeyringView {
  enum State {
    /// No program is the keyring, and the bus can start none.
    case absent
    /// It does not answer.
    case silent
    case noCollection
    case locked
    case unlocked
  }

  private static let service = "org.freedesktop.secrets"
  private static let deadline = Duration.seconds(5)

  let state: State
  let product: KeyringProduct

  init(_ bus: BusConnection) async {
    state = await Self.state(bus)
    product = await KeyringProduct(bus, owner: state == .absent ? nil : Self.service)
  }

  private static func state(_ bus: BusConnection) async -> State {
    do {
      let alias = try await bus.call(
        service, .standing(for: service), "org.freedesktop.Secret.Service", "ReadAlias", .tuple("default"),
        timeout: deadline)
      let collection: ObjectPath = try alias.member(0, "collection")
      guard collection != .root else { return .noCollection }
      let locked = try await bus.property(
        service, collection, "org.freedesktop.Secret.Collection", "Locked", timeout: deadline)
      return try locked.unboxed.value(as: Bool.self) ? .locked : .unlocked
    } catch let error as GLibError where ExitStatus(errorName: error.busName ?? "") == .serviceMissing {
      return .absent
    } catch {
      return .silent
    }
  }

  /// What a person does when a sign-in has failed, so its prompt was dismissed or could not be shown; nil for an unlocked
  /// keyring.
  var remedyAfterPrompt: String? {
    switch state {
    case .noCollection, .locked: product.withoutPrompt
    case .unlocked, .absent, .silent: remedy
    }
  }

  /// What a person does so that it can be used; nil for an unlocked keyring.
  var remedy: String? {
    switch state {
    case .unlocked: nil
    case .absent: product.start
    case .silent: tr("Restart it, or log in again.")
    case .noCollection: product.create
    case .locked: product.unlock
    }
  }
}

/// The programs that are keyrings on Linux desktops.
enum KeyringProduct {
  case gnome
  case kde
  case keePassXC
  case other

  /// The product that owns the bus name `owner`; without an owner, the one that this session could have.
  @GLibActor
  init(_ bus: BusConnection, owner: String?) async {
    if let owner {
      // The kernel cuts the name of a process to 15 bytes.
      switch await bus.processName(of: owner) {
      case "gnome-keyring-d": self = .gnome
      case "keepassxc": self = .keePassXC
      case "ksecretd", "kwalletd5", "kwalletd6": self = .kde
      default: self = .other
      }
    } else if await bus.knows(["org.kde.kwalletd6", "org.kde.kwalletd5"]) {
      self = .kde
    } else if Program.isInstalled("gnome-keyring-daemon") {
      self = .gnome
    } else if Program.isInstalled("keepassxc") {
      self = .keePassXC
    } else {
      self = .other
    }
  }

  /// The subject of a sentence.
  var name: String {
    switch self {
    case .gnome: "GNOME Keyring"
    case .kde: "KDE Wallet"
    case .keePassXC: "KeePassXC"
    case .other: tr("The keyring")
    }
  }

  /// How a person gets a keyring, or starts it.
  var start: String {
    switch self {
    case .gnome: tr("Start GNOME Keyring: \(Self.unlocking)")
    case .kde:
      tr("In System Settings, on the page KDE Wallet, turn on “Use KWallet for the Secret Service interface”.")
    case .keePassXC:
      tr("In the settings of KeePassXC turn on “Secret Service Integration”, and open a database.")
    case .other: tr("Install one, and log in again: \(Self.installation)")
    }
  }

  /// How a person makes it create its first collection.
  var create: String {
    switch self {
    case .gnome where !Browser.isReachable: tr("Choose a password for one: \(Self.unlocking)")
    case .keePassXC:
      tr("Open a database in KeePassXC, and expose a group in its settings, under “Secret Service Integration”.")
    case .gnome, .kde, .other: tr("Run chappie sign-in at a terminal: the keyring asks for a password for a new one.")
    }
  }

  /// How a person creates or unlocks its collection without the keyring's own prompt.
  var withoutPrompt: String {
    switch self {
    case .gnome: tr("Without its window: \(Self.unlocking)")
    case .keePassXC: tr("Unlock the database in KeePassXC, and expose a group under “Secret Service Integration”.")
    case .kde: tr("Or create and open the wallet “kdewallet” in KWalletManager.")
    case .other: tr("Or do so in its own settings.")
    }
  }

  /// How a person unlocks it.
  var unlock: String {
    switch self {
    case .gnome where !Browser.isReachable: tr("Unlock it: \(Self.unlocking)")
    case .keePassXC: tr("Unlock the database in KeePassXC.")
    case .gnome, .kde, .other: tr("Run chappie ask at a terminal: the keyring asks for its password.")
    }
  }

  /// Starts the daemon, creates the collection `login` or unlocks it. The daemon takes the password from standard input,
  /// up to its end; one that runs already takes none.
  private static let unlocking =
    "read -rsp 'Password: ' p && printf %s \"$p\" | gnome-keyring-daemon --replace --unlock --components=secrets"

  private static var installation: String {
    if Program.isInstalled("dnf") { return "sudo dnf install gnome-keyring" }
    return Program.isInstalled("pacman") ? "sudo pacman -S gnome-keyring" : "sudo apt install gnome-keyring"
  }
}
