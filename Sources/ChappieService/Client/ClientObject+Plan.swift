import ChappieSDK
import GLibBridge

/// What the plan offers, and how much of it is used.
extension ClientObject {
  var planMethods: [String: BusImplementation.Method] {
    [
      "ListModels": { [unowned self] in
        let filter = try ChappieModelFilter(try $0.argument(0, as: VariantDictionary.self))
        return .tuple(try await client.models(filter: filter, interaction: $0.interaction).map(\.dictionary))
      },
      "SelectModel": { [unowned self] in
        let slug = try VariantDictionary.checkedName(try $0.argument(0), "slug")
        guard slug != client.model else { return .tuple() }
        await client.selectModel(slug)
        changed("Model")
        return .tuple()
      },
      "GetUsageLimits": { [unowned self] in
        .tuple(try await client.usageLimits(interaction: $0.interaction).dictionary)
      },
    ]
  }

  /// Tells of each change of what is used, whichever client of the sign-in has brought it about.
  func followUsageLimits() {
    usageObservation = client.observeUsageLimits { [weak self] in self?.changed("UsageLimits") }
  }
}
