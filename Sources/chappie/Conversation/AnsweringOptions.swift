import GLibBridge

/// The options about how a message is answered, of every verb that asks.
struct AnsweringOptions {
  private let model: CommandLineOption<String>
  private let fast: CommandLineFlag
  private let effort: CommandLineOption<String>
  private let instructions: CommandLineOption<String>

  init(_ parser: CommandLineParser) {
    model = parser.string("model", short: "m", placeholder: "SLUG", "Ask this model")
    fast = parser.flag("fast", "Answer sooner, think less")
    effort = parser.string(
      "effort", placeholder: "LEVEL", "How much to think: low, medium, high, or what else the model takes")
    instructions = parser.string("instructions", placeholder: "TEXT", "What the model should keep to")
  }

  func dictionary(_ arguments: CommandLineArguments) -> VariantDictionary {
    var options = VariantDictionary()
    options.set("model", arguments[model])
    options.set("fast_mode", arguments[fast] ? true : nil)
    options.set("reasoning_effort", arguments[effort])
    options.set("instructions", arguments[instructions])
    return options
  }
}
