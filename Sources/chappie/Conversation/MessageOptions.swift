import GLibBridge
import Platform

/// The options of a message, such as `--model`, for every verb that asks.
struct MessageOptions {
  private let model: CommandLineOption<String>
  private let fast: CommandLineFlag
  private let effort: CommandLineOption<String>
  private let instructions: CommandLineOption<String>

  init(_ parser: CommandLineParser) {
    model = parser.string("model", short: "m", placeholder: tr("SLUG"), tr("Ask this model"))
    fast = parser.flag("fast", tr("Answer sooner, think less"))
    effort = parser.string(
      "effort", placeholder: tr("LEVEL"), tr("Reasoning effort: low, medium, high, or another level of the model"))
    instructions = parser.string("instructions", short: "s", placeholder: tr("TEXT"), tr("Instructions for the model"))
  }

  /// The options as `org.chappie.Client` takes them.
  func dictionary(_ arguments: CommandLineArguments) -> VariantDictionary {
    var options = VariantDictionary()
    options.set("model", arguments[model])
    options.set("fast_mode", arguments[fast] ? true : nil)
    options.set("reasoning_effort", arguments[effort])
    options.set("instructions", arguments[instructions])
    return options
  }
}
