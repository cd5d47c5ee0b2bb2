// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import ServiceConfiguration

/// The models and the usage limits of the plan.
extension ClientObject {
  var planMethods: [String: BusImplementation.Method] {
    [
      "ListModels": { [unowned self] in
        let filter = try ChappieModelFilter(try $0.argument(0, as: VariantDictionary.self))
        let call = $0
        let models = try await environment.callers.querying(call.sender) {
          try await client.models(filter: filter, interaction: call.interaction)
        }
        return .tuple(models.map { $0.dictionary(environment.models.names(of: $0.slug)) })
      },
      "SelectModel": { [unowned self] in
        let slug = try VariantDictionary.checkedName(try $0.argument(0), "slug")
        await client.selectModel(environment.models.slug(slug))
        tellModel()
        return .tuple()
      },
      "GetUsageLimits": { [unowned self] in
        let call = $0
        let limits = try await environment.callers.querying(call.sender) {
          try await client.usageLimits(interaction: call.interaction)
        }
        return .tuple(limits.dictionary)
      },
    ]
  }

  /// Signals each change of the model that answers, including changes by the backend.
  func followModel() {
    tellModel()
    modelObservation = client.observeModel { [weak self] in self?.tellModel() }
  }

  /// Signals the model if it has changed.
  func tellModel() {
    let (before, now) = (shownModel, ShownModel(client))
    shownModel = now
    guard let before else { return }
    if before.slug != now.slug { changed("Model") }
    if before.source != now.source { changed("ModelSource") }
  }

  /// Signals each change of the usage limits, from every client of the sign-in.
  func followUsageLimits() {
    usageObservation = client.observeUsageLimits { [weak self] in self?.changed("UsageLimits") }
  }
}
