// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

/// The prompter of GNOME Keyring, with a person in front of it: see `Tests/keyring/prompter.py`.
@GLibActor
final class Prompter {
  enum Person {
    case types(String)
    case dismisses
    /// The prompter goes away during its first prompts; the person types a password into the next.
    case losesPrompts(Int, thenTypes: String)
  }

  private static let name = "org.gnome.keyring.SystemPrompter"

  private let process: ChildProcess

  init(in world: World, _ person: Person) async throws {
    let arguments =
      switch person {
      case .types(let password): [password]
      case .dismisses: ["--dismiss"]
      case .losesPrompts(let count, let password): ["--vanish", "\(count)", password]
      }
    process = try ChildProcess(
      "prompter", "/usr/bin/python3", [SourceTree.path(of: "Tests/keyring/prompter.py")] + arguments,
      in: world.directories)
    world.adopt(ending: { [process] in
      process.send(SIGKILL)
      _ = try? await process.waitForEnd()
    })
    let bus = try await BusConnection.open(address: world.directories.busAddress)
    try await eventually("the prompter") { [process] in
      guard process.end == nil else { throw UnmetCondition("a prompter; it wrote \(process.output)") }
      return try await bus.owner(of: Self.name) != nil
    }
  }

  /// The prompts so far.
  var prompts: [Substring] { process.output.split(separator: "\n").filter { $0.hasPrefix("prompt ") } }
}
