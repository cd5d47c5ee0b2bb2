// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie models`: lists the models.
struct Models: Verb {
  static let name = "models"
  static let summary = tr("List the models that the plan offers")
  static let details = tr("The best model is first. The model with an asterisk is the default.")

  let account: String?
  let filter: VariantDictionary
  let json: Bool

  private struct Model {
    let slug: String
    let aliases: [String]
    let displayName: String
    let description: String?
    let inputModalities: [String]
    let reasoningLevels: [String]
    let contextWindow: UInt32?
    let supportsSearchTool: Bool
    let supportsParallelToolCalls: Bool

    init(_ values: VariantDictionary) throws {
      slug = try values.value("slug") ?? ""
      aliases = try values.value("aliases") ?? []
      displayName = try values.value("display_name") ?? slug
      description = try values.value("description")
      inputModalities = try values.value("input_modalities") ?? []
      reasoningLevels = try values.value("supported_reasoning_levels") ?? []
      contextWindow = try values.value("context_window")
      supportsSearchTool = try values.value("supports_search_tool") ?? false
      supportsParallelToolCalls = try values.value("supports_parallel_tool_calls") ?? false
    }
  }

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let input = parser.string("input", placeholder: tr("KIND"), tr("Only models that read this: text, image"))
    let effort = parser.string("effort", placeholder: tr("LEVEL"), tr("Only models that take this reasoning effort"))
    let json = parser.flag("json", tr("Print one JSON object a line"))
    return { arguments in
      var filter = VariantDictionary()
      filter.set("input_modality", arguments[input])
      filter.set("reasoning_level", arguments[effort])
      return Models(account: arguments[account], filter: filter, json: arguments[json])
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let client = try await service.openClient(account)
    // No timeout: the keyring may ask for its password first, and the user may take any time.
    let reply = try await service.call(client, "Client", "ListModels", .tuple(filter), timeout: nil)
    let models = try reply.member(0, "models", as: [VariantDictionary].self).map(Model.init)
    let selected: String? = try await service.properties(client, "Client").value("Model")
    if json {
      for model in models { StandardStream.output.write(line(model, selected)) }
    } else if models.isEmpty {
      StandardStream.output.write(tr("There is no such model.") + "\n")
    } else {
      StandardStream.output.write(table(models, selected))
    }
    return .success
  }

  private func table(_ models: [Model], _ selected: String?) -> String {
    var table = Table("", tr("MODEL"), tr("NAME"), tr("WINDOW"), tr("READS"), tr("EFFORT"))
    for model in models {
      table.append(
        model.slug == selected ? "*" : "", model.slug,
        ([model.displayName] + model.aliases).joined(separator: ", "), model.contextWindow.map(Self.tokens) ?? "",
        model.inputModalities.joined(separator: ", "), model.reasoningLevels.joined(separator: ", "))
    }
    return table.text
  }

  private static func tokens(_ count: UInt32) -> String {
    count < 1000 ? "\(count)" : "\(Int(count) / 1000)k"
  }

  private func line(_ model: Model, _ selected: String?) -> String {
    var object = JSONObject()
    object.set("slug", model.slug)
    if !model.aliases.isEmpty { object.set("aliases", model.aliases) }
    object.set("display_name", model.displayName)
    object.set("description", model.description)
    object.set("selected", model.slug == selected)
    object.set("input_modalities", model.inputModalities)
    object.set("supported_reasoning_levels", model.reasoningLevels)
    object.set("supports_search_tool", model.supportsSearchTool)
    object.set("supports_parallel_tool_calls", model.supportsParallelToolCalls)
    object.set("context_window", model.contextWindow)
    return object.line + "\n"
  }
}
