// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import GLibBridge
import Platform

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
    for server in servers {
      let configuration = server.configuration
      // A variable is known when the server starts.
      guard let command = configuration.command.first, !command.contains("${") else { continue }
      guard configuration.program == nil else { continue }
      return [
        .note(
          "tools", tr("The server “\(configuration.name)” needs \(command.terminalSafeLine), which does not exist."),
          tr("Install it, or remove the server with chappie tools remove."))
      ]
    }
    guard servers.contains(where: { $0.configuration.box != .unboxed }) else {
      return [.ok("tools", tr("The programs of all MCP servers exist."))]
    }
    return [await sandbox()]
  }

  @GLibActor
  private static func sandbox() async -> Finding {
    guard Program.isInstalled("bwrap") else {
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
