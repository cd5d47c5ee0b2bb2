// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge
import Platform

/// Checks of the desktop around the service: the keyring, the screen lock, notifications, the browser, documents.
@GLibActor
enum DesktopChecks {
  private static let deadline = Duration.seconds(5)

  /// The keyring, and its default collection.
  static func keyring(_ bus: BusConnection) async -> [Finding] {
    let view = await KeyringView(bus)
    let name = view.product.name
    let answers = Finding.ok("keyring", tr("\(name) answers."))
    let remedy = view.remedy ?? ""
    switch view.state {
    case .absent:
      return [
        .problem("keyring", .keyringNeeded, tr("No program of this session is a keyring."), remedy),
        .unchecked("collection", tr("There is no keyring.")),
      ]
    case .silent:
      return [
        .problem("keyring", .keyringNeeded, tr("\(name) does not answer."), remedy),
        .unchecked("collection", tr("The keyring does not answer.")),
      ]
    case .noCollection:
      return [
        answers, .problem("collection", .keyringNeeded, tr("The keyring has no default collection."), remedy),
      ]
    case .locked:
      return [answers, .problem("collection", .keyringNeeded, tr("The default collection is locked."), remedy)]
    case .unlocked: return [answers, .ok("collection", tr("The default collection is unlocked."))]
    }
  }

  /// The sources that tell whether the screen is locked, as the service follows them.
  static func lock(_ service: ServiceConnection) async -> Finding {
    do {
      let properties = try await service.properties(ServiceConnection.root, "Manager")
      let state = try properties.value("LockState") ?? ""
      let sources = try properties.value("LockSources", as: [String].self)?.filter { $0 != "keyring" } ?? []
      guard sources.isEmpty else {
        let sources = sources.joined(separator: ", ")
        return switch state {
        case "locked": .ok("lock", tr("The screen is locked, says \(sources)."))
        case "unlocked": .ok("lock", tr("The screen is unlocked, says \(sources)."))
        default: .ok("lock", tr("The screen is \(state), says \(sources)."))
        }
      }
      if state == "locked" { return .note("lock", tr("The keyring is locked; the screen is not known to be.")) }
      return .note(
        "lock", tr("Nothing tells whether the screen is locked, so [Lock] Unknown= of chappie.conf decides."),
        tr("See chappied(8)."))
    } catch {
      return .unchecked("lock", CommandFailure(error).message)
    }
  }

  static func notifications(_ bus: BusConnection) async -> Finding {
    let name = "org.freedesktop.Notifications"
    guard await bus.knows([name]) else {
      return .note(
        "notifications", tr("No program shows notifications, such as those of a needed sign-in."),
        tr("Start the desktop's, or install one such as dunst."))
    }
    do {
      let server: String = try await bus.call(
        name, .standing(for: name), name, "GetServerInformation", timeout: deadline
      ).member(0, "name")
      return .ok("notifications", tr("\(server) shows notifications."))
    } catch {
      return .note("notifications", tr("The notification server does not answer."), tr("Restart it."))
    }
  }

  static func browser() async -> Finding {
    guard Browser.isReachable else {
      return .note(
        "browser", tr("There is no display here."), tr("chappie sign-in shows a code to enter in a browser elsewhere."))
    }
    // The files that tell may be on a disk that does not answer.
    guard let name = try? await withDeadline(deadline, { await offActor { Browser.defaultName } }) else {
      return .note(
        "browser", tr("No program opens web pages."),
        tr("Choose one: xdg-settings set default-web-browser firefox.desktop"))
    }
    return .ok("browser", tr("\(name) opens web pages."))
  }

  /// The programs that read PDF documents, and their sandbox.
  static func documents() async -> Finding {
    let check = "documents"
    do {
      switch try await DocumentSandbox.obstacle() {
      case nil: return .ok(check, tr("PDF documents can be read."))
      case .missing(let package):
        return .note(
          check, tr("PDF documents cannot be read: the package \(package) is missing."),
          tr("Install it: sudo apt install \(package)"))
      case .broken(let package):
        return .note(
          check, tr("PDF documents cannot be read: the programs of the package \(package) do not start."),
          tr("Repair it: sudo apt install --reinstall \(package)"))
      case .noSandbox:
        return .note(
          check, tr("PDF documents cannot be read: bubblewrap can make no sandbox."),
          tr("See whether user namespaces are allowed: unshare --user true"))
      }
    } catch {
      return .unchecked(check, CommandFailure(error).message)
    }
  }
}

/// Checks what the user's MCP servers need.
enum ToolChecks {
  /// Nothing where there are no servers.
  @GLibActor
  static func findings() async -> [Finding] {
    let servers: [ToolServerEntry]
    do {
      servers = try ToolsFile.read().servers.filter(\.isEnabled)
    } catch {
      return [.problem("tools", .failed, error.reason.translation, tr("Correct or remove the file."))]
    }
    guard !servers.isEmpty else { return [] }
    let missing = servers.map(\.configuration).compactMap { configuration -> Finding? in
      // A variable is known when the server starts.
      guard configuration.program == nil, let command = configuration.command.first, !command.contains("${")
      else { return nil }
      return .note(
        "tools", tr("The server “\(configuration.name)” needs \(command.terminalSafeLine), which does not exist."),
        tr("Install it, or remove the server with chappie tools remove."))
    }
    guard missing.isEmpty else { return missing }
    guard servers.contains(where: { $0.configuration.box != .unboxed }) else {
      return [.ok("tools", tr("The programs of all MCP servers exist."))]
    }
    return [await sandbox()]
  }

  @GLibActor
  private static func sandbox() async -> Finding {
    guard Program.isInstalled(ToolBox.bubblewrap) else {
      return .note(
        "tools", tr("MCP servers need bubblewrap for their sandbox."), tr("Install it, or add servers with --unboxed."))
    }
    guard let test = try? ToolBox.command(for: ChappieMCPConfiguration(name: "test", command: ["/usr/bin/true"])),
      let input = try? Descriptor.sealed([]),
      let outcome = try? await FileFilter.run(test, input: input, outputLimit: 1024, deadline: .seconds(10)),
      case .succeeded = outcome.end
    else {
      return .note(
        "tools", tr("Bubblewrap cannot make a sandbox here."),
        tr("Allow user namespaces, or add servers with --unboxed."))
    }
    return .ok("tools", tr("The programs of all MCP servers exist, and their sandbox works."))
  }
}
