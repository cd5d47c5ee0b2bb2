// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The secrets of servers, in the user's keyring. A configuration names one as `${keyring:NAME}`.
@GLibActor
package struct ToolSecrets {
  /// The longest secret, in bytes.
  package nonisolated static let sizeLimit = 64 << 10
  private static let schema = "org.chappie.ToolSecret"

  private let client = SecretServiceClient()
  private let interaction: UserInteraction

  /// - Parameter interaction: whether a locked keyring may ask for its password.
  package init(interaction: UserInteraction) {
    self.interaction = interaction
  }

  /// The secret with this name.
  ///
  /// - Throws: ``ToolsFileError``, `CancellationError`.
  package func secret(_ name: String) async throws -> SecretBytes {
    try await explaining {
      if let item = try await items(name).first, let found = try await client.secret(of: item) { return found.line }
      throw ToolsFileError(
        en("The keyring has no secret “\(name)”: chappie tools secret \(name) stores one."))
    }
  }

  /// Stores a secret, and replaces one of the same name.
  ///
  /// - Throws: as ``secret(_:)``.
  package func store(_ secret: SecretBytes, as name: String) async throws {
    try await explaining {
      _ = try await client.makeDefaultCollection(interaction: interaction)
      try await client.store(
        secret, as: .init(schema: Self.schema, attributes: Self.attributes(name), label: "Chappie: \(name)"),
        in: .default, interaction: interaction)
    }
  }

  /// Removes the secret with this name.
  ///
  /// - Parameter name: nil for all.
  /// - Returns: the number of those that there were.
  /// - Throws: as ``secret(_:)``.
  package func remove(_ name: String?) async throws -> Int {
    try await explaining {
      let found = try await items(name)
      for item in found { try await client.delete(item, interaction: interaction) }
      return found.count
    }
  }

  /// The unlocked items. A locked keyring may hide them, and one without a default collection has none.
  ///
  /// - Parameter name: nil for all.
  private func items(_ name: String?) async throws -> [SecretServiceClient.Found] {
    do {
      if try await client.defaultCollectionState() == .locked {
        try await client.unlockDefaultCollection(interaction: interaction)
      }
    } catch SecretStoreError.noDefaultCollection {
      return []
    }
    let found = try await client.search(schema: Self.schema, Self.attributes(name))
    for item in found where item.isLocked { try await client.unlock(item, interaction: interaction) }
    return found
  }

  private static func attributes(_ name: String?) -> [String: String] {
    var attributes = ["application": "chappie", "purpose": "tool-secret"]
    attributes["name"] = name
    return attributes
  }

  private func explaining<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as SecretStoreError {
      switch error {
      case .locked: throw ToolsFileError(en("The keyring is locked: unlock it, and try again."))
      case .noDefaultCollection: throw ToolsFileError(en("There is no keyring: create one, and try again."))
      case .unavailable(let reason):
        throw ToolsFileError(en("The keyring cannot be used: \(reason.terminalSafeLine)."))
      }
    }
  }
}
