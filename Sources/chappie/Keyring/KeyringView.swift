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
  private static let path = ObjectPath.root.appending("org").appending("freedesktop").appending("secrets")
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
        service, path, "org.freedesktop.Secret.Service", "ReadAlias", .tuple("default"), timeout: deadline)
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
