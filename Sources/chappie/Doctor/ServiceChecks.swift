// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import ServiceConfiguration

/// Checks of the way to the service: the bus, activation, systemd, and the service itself.
@GLibActor
struct ServiceChecks {
  private static let deadline = Duration.seconds(5)
  /// A start of the service may wait for a slow disk.
  private static let startDeadline = Duration.seconds(15)

  private static let reloading =
    "busctl --user call org.freedesktop.DBus / org.freedesktop.DBus ReloadConfig"

  let service: ServiceConnection
  private var bus: BusConnection { service.connection }

  func activation() async -> Finding {
    if await bus.activatableNames().contains(ServiceConnection.name) {
      return .ok("activation", tr("The bus can start the service."))
    }
    guard await bus.hasOwner(ServiceConnection.name) else {
      return .problem(
        "activation", .serviceMissing, tr("The bus cannot start the service."),
        tr("Install chappie. If it is installed: \(Self.reloading)"))
    }
    return .note("activation", tr("The service runs, but the bus could not start it again."), tr("Install chappie."))
  }

  func unit() async -> Finding {
    let name = "org.freedesktop.systemd1"
    guard await bus.hasOwner(name) else {
      return .ok("unit", tr("This session has no systemd: the bus itself starts the service."))
    }
    do {
      let unit: ObjectPath = try await bus.call(
        name, .standing(for: name), "\(name).Manager", "LoadUnit", .tuple("chappie.service"), timeout: Self.deadline
      ).member(0, "unit")
      let properties = try await bus.properties(name, unit, "\(name).Unit", timeout: Self.deadline)
      let load = try properties.value("LoadState") ?? ""
      let active = try properties.value("ActiveState") ?? ""
      return switch (load, active) {
      case ("loaded", "failed"):
        .problem(
          "unit", .serviceMissing, tr("chappie.service has failed."),
          tr("See journalctl --user -u chappie, then: systemctl --user reset-failed chappie"))
      case ("loaded", _): .ok("unit", tr("systemd starts the service as chappie.service, which is \(active)."))
      case ("masked", _):
        .problem(
          "unit", .serviceMissing, tr("chappie.service is masked."), tr("Unmask it: systemctl --user unmask chappie"))
      case ("not-found", _):
        .note("unit", tr("systemd knows no chappie.service."), tr("If it is installed: systemctl --user daemon-reload"))
      default:
        .problem("unit", .serviceMissing, tr("chappie.service is \(load)."), tr("See systemctl --user status chappie"))
      }
    } catch {
      return .note("unit", tr("systemd did not tell about chappie.service: \(CommandFailure(error).message)"))
    }
  }

  func answers() async -> Finding {
    do {
      _ = try await bus.property(
        ServiceConnection.name, ServiceConnection.root, "org.chappie.Manager", "Version",
        timeout: Self.startDeadline)
      return .ok("service", tr("The service answers."))
    } catch {
      // The configuration may be on a disk that does not answer.
      if case .failure(let fault)? = await offActor(deadline: Self.deadline, { Result { try ServiceOptions() } }) {
        return .problem("service", .serviceMissing, "\(fault)", tr("See chappied(8)."))
      }
      let failure = CommandFailure(error)
      return .problem("service", .serviceMissing, failure.message, tr("See journalctl --user -u chappie"))
    }
  }

  /// The sign-in of the default account, without its owner.
  func signIn() async -> Finding {
    do {
      let status = try await service.status(ServiceConnection.root)
      let failure = status.errorMessage.map { tr("Last failure: \(Translation.of($0))") }
      switch status.state {
      case .signedIn:
        if let use = status.planUse, use.isRefused {
          return .note("sign-in", tr("Somebody is signed in. \(use.sentence)"), use.management)
        }
        return failure.map { .note("sign-in", tr("Somebody is signed in. \($0)")) }
          ?? .ok("sign-in", tr("Somebody is signed in."))
      case .signingIn: return .note("sign-in", tr("A sign-in waits to be approved."))
      case .reauthenticationRequired:
        return .problem("sign-in", .signInNeeded, tr("The sign-in has ended."), tr("Run chappie sign-in."))
      case .signedOut, .restoring:
        if let failure, ExitStatus(errorName: status.errorName ?? "") == .keyringNeeded {
          return .unchecked("sign-in", tr("Nobody knows without the keyring. \(failure)"))
        }
        let others = try await service.otherAccounts().count
        guard others == 0 else {
          return .note(
            "sign-in", tr("Nobody is signed in to the default account; other accounts: \(others)."),
            tr("Give --account."))
        }
        return .problem("sign-in", .signInNeeded, tr("Nobody is signed in."), tr("Run chappie sign-in."))
      }
    } catch {
      return .unchecked("sign-in", CommandFailure(error).message)
    }
  }
}
