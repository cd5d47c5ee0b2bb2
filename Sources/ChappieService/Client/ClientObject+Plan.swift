import ChappieSDK
import GLibBridge

/// What the plan offers, and how much of it is used.
extension ClientObject {
  var planMethods: [String: BusImplementation.Method] {
    [
      "ListModels": { [unowned self] in
        let filter = try ChappieModelFilter(try $0.argument(0, as: VariantDictionary.self))
        let call = $0
        let models = try await environment.callers.querying(call.sender) {
          try await client.models(filter: filter, interaction: call.interaction)
        }
        return .tuple(models.map(\.dictionary))
      },
      "SelectModel": { [unowned self] in
        let slug = try VariantDictionary.checkedName(try $0.argument(0), "slug")
        await client.selectModel(slug)
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

  /// Tells of each change of the model that answers, also of one that the backend brings about.
  func followModel() {
    tellModel()
    modelObservation = client.observeModel { [weak self] in self?.tellModel() }
  }

  /// Tells of the model where it is another than before.
  func tellModel() {
    let (before, now) = (shownModel, ShownModel(client))
    shownModel = now
    guard let before else { return }
    if before.slug != now.slug { changed("Model") }
    if before.source != now.source { changed("ModelSource") }
  }

  /// Tells of each change of what is used, whichever client of the sign-in has brought it about.
  func followUsageLimits() {
    usageObservation = client.observeUsageLimits { [weak self] in self?.changed("UsageLimits") }
  }
}
