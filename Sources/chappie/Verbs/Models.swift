// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension Verb {
  /// `chappie models`: lists the models.
  static let models = Verb(
    "models", tr("List the models that the plan offers"),
    details: tr("The best model is first. The model with an asterisk is the default."),
    account, text("input", placeholder: tr("KIND"), tr("Only models that read this: text, image")),
    text("effort", placeholder: tr("LEVEL"), tr("Only models that take this reasoning effort")), jsonLines
  ) { account, input, effort, json in
    Work(json: json) { service in
      let filter: VariantDictionary = ["input_modality": input, "reasoning_level": effort]
      let client = try await service.openClient(account)
      // No timeout: the keyring may ask for its password first, and the user may take any time.
      let reply = try await service.call(client, "Client", "ListModels", .tuple(filter), timeout: nil)
      let models = try reply.member(0, "models", as: [VariantDictionary].self).map(ListedModel.init)
      let selected: String? = try await service.properties(client, "Client").value("Model")
      if json {
        for model in models { StandardStream.output.line(model.json(selected).line) }
      } else {
        StandardStream.output.write(
          models.isEmpty ? tr("There is no such model.") + "\n" : ListedModel.table(models, selected))
      }
    }
  }
}

/// A model, as `Client.ListModels` returns it.
private struct ListedModel {
  let values: VariantDictionary
  let slug: String
  let name: String
  let aliases: [String]
  let modalities: [String]
  let efforts: [String]
  let window: UInt32?

  init(_ values: VariantDictionary) throws {
    self.values = values
    slug = try values.value("slug") ?? ""
    name = try values.value("display_name") ?? slug
    aliases = try values.value("aliases") ?? []
    modalities = try values.value("input_modalities") ?? []
    efforts = try values.value("supported_reasoning_levels") ?? []
    window = try values.value("context_window")
  }

  static func table(_ models: [ListedModel], _ selected: String?) -> String {
    let rows = models.map { model in
      [
        model.slug == selected ? "*" : "", model.slug, ([model.name] + model.aliases).joined(separator: ", "),
        model.window.map { $0 < 1000 ? "\($0)" : "\(Int($0) / 1000)k" } ?? "",
        model.modalities.joined(separator: ", "), model.efforts.joined(separator: ", "),
      ]
    }
    return Table("", tr("MODEL"), tr("NAME"), tr("WINDOW"), tr("READS"), tr("EFFORT"), rows: rows).text
  }

  func json(_ selected: String?) -> JSONObject {
    var object: JSONObject = [
      "slug": slug, "aliases": aliases.isEmpty ? nil : aliases, "display_name": name,
    ]
    object.copy(["description"], of: values)
    object.append([
      "selected": slug == selected, "input_modalities": modalities, "supported_reasoning_levels": efforts,
    ])
    object.copy(["supports_search_tool", "supports_parallel_tool_calls", "context_window"], of: values)
    return object
  }
}
