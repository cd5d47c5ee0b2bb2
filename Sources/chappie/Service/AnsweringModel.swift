import GLibBridge
import Platform

/// The model that answers an account where none is named.
@GLibActor
struct AnsweringModel {
  /// Longer than the service waits for the backend.
  private static let patience = Duration.seconds(10)
  private static let unconfirmed = "unconfirmed"

  let slug: String
  /// How the service knows it.
  let source: String

  /// Asks the service, which asks the backend where it does not know. Nil where the service tells nothing.
  init?(_ service: ServiceConnection, _ account: String?) async {
    guard let client = try? await service.sharedClient(account) else { return nil }
    do {
      var properties = try await service.properties(client, "Client")
      if try properties.value("ModelSource") == Self.unconfirmed {
        // Nobody shall be asked for a password for this: what cannot be had is told as it is.
        _ = try? await service.connection.call(
          ServiceConnection.name, client, "org.chappie.Client", "ListModels", .tuple([:] as VariantDictionary),
          timeout: Self.patience)
        properties = try await service.properties(client, "Client")
      }
      slug = try properties.value("Model") ?? ""
      source = try properties.value("ModelSource") ?? Self.unconfirmed
    } catch {
      return nil
    }
  }

  /// For a person.
  var sentence: String {
    let slug = slug.harmlessLine
    return switch source {
    case "chosen": "\(slug) answers, as it was chosen."
    case Self.unconfirmed: "\(slug) answers, if the backend still offers it."
    default: "\(slug) answers."
    }
  }
}
