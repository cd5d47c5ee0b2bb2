// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The model that answers for an account when the caller names none.
@GLibActor
struct DefaultModel {
  /// Longer than the service's own timeout for the backend.
  private static let patience = Duration.seconds(10)
  private static let unconfirmed = "unconfirmed"

  let slug: String
  /// The property `ModelSource` of `org.chappie.Client`.
  let source: String

  /// Asks the service, and has it ask the backend if the model is unconfirmed. Nil if the service does not answer.
  init?(_ service: ServiceConnection, _ account: String?) async {
    guard let client = try? await service.sharedClient(account) else { return nil }
    do {
      var properties = try await service.properties(client, "Client")
      if try properties.value("ModelSource") == Self.unconfirmed {
        // Not interactive: this must not make the keyring ask for its password. A failure leaves it unconfirmed.
        _ = try? await service.call(
          client, "Client", "ListModels", .tuple([:] as VariantDictionary), timeout: Self.patience, interactive: false)
        properties = try await service.properties(client, "Client")
      }
      slug = try properties.value("Model") ?? ""
      source = try properties.value("ModelSource") ?? Self.unconfirmed
    } catch {
      return nil
    }
  }

  /// A sentence for a person.
  var sentence: String {
    let slug = slug.terminalSafeLine
    return switch source {
    case "chosen": tr("\(slug) answers, because it was chosen.")
    case Self.unconfirmed: tr("\(slug) answers, if the backend still offers it.")
    default: tr("\(slug) answers.")
    }
  }
}
