import CGLib

/// What is wrong with a command line, in a sentence for the person who wrote it.
public struct CommandLineError: Error, Equatable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  /// An error that says `description`.
  public init(_ description: String) {
    self.description = description
  }
}

/// A switch of a command line, such as `--verbose`.
public struct CommandLineFlag: Sendable {
  let name: String
}

/// An option of a command line that takes a value, such as `--port 8080`.
public struct CommandLineOption<Value: Sendable>: Sendable {
  let name: String
}

/// What a command line says.
public struct CommandLineArguments: Sendable {
  fileprivate var flags: Set<String> = []
  fileprivate var values: [String: [any Sendable]] = [:]
  /// What is no option, in order.
  public fileprivate(set) var remaining: [String] = []

  /// Whether the flag is given.
  public subscript(flag: CommandLineFlag) -> Bool { flags.contains(flag.name) }

  /// The value of the option, the last one when it is given more than once.
  public subscript<Value>(option: CommandLineOption<Value>) -> Value? { all(option).last }

  /// All values of an option that may be given more than once.
  public func all<Value>(_ option: CommandLineOption<Value>) -> [Value] {
    values[option.name, default: []].compactMap { $0 as? Value }
  }
}

/// Reads command lines with GOption. Programs with verbs make a parser for each verb and give it what follows.
public final class CommandLineParser {
  /// What a command line asks for.
  public enum Outcome: Sendable {
    /// `--help`: the text to print.
    case help(String)
    /// Anything else.
    case arguments(CommandLineArguments)
  }

  private struct Entry {
    let name: String
    let short: Character?
    let help: String
    /// What stands for the value in the help; nil for a flag.
    let placeholder: String?
    let read: (String) throws -> any Sendable
  }

  private let parameters: String?
  private let summary: String
  private let details: String
  private var entries: [Entry] = []
  private var remainingPlaceholder: String?

  /// A parser that knows `--help`; everything else is added to it.
  ///
  /// - Parameters:
  ///   - parameters: what stands behind `[OPTION…]` in the usage line, such as a verb.
  ///   - summary: what the program does, above the options in the help.
  ///   - details: what else there is to say, below the options.
  public init(parameters: String? = nil, summary: String, details: String = "") {
    self.parameters = parameters
    self.summary = summary
    self.details = details
    _ = flag("help", short: "h", "Show this help")
  }

  // MARK: What there is

  /// Adds a switch.
  public func flag(_ name: String, short: Character? = nil, _ help: String) -> CommandLineFlag {
    entries.append(Entry(name: name, short: short, help: help, placeholder: nil) { $0 })
    return CommandLineFlag(name: name)
  }

  /// Adds an option with any text as its value.
  public func string(
    _ name: String, short: Character? = nil, placeholder: String, _ help: String
  ) -> CommandLineOption<String> {
    option(name, short: short, placeholder: placeholder, help) { $0 }
  }

  /// Adds an option with a whole number as its value.
  public func integer(
    _ name: String, short: Character? = nil, in range: ClosedRange<Int> = Int.min...Int.max, placeholder: String,
    _ help: String
  ) -> CommandLineOption<Int> {
    option(name, short: short, placeholder: placeholder, help) { text in
      guard let number = Int(text) else { throw CommandLineError("“\(text)” is not a whole number") }
      guard range.contains(number) else {
        throw CommandLineError("\(number) is not between \(range.lowerBound) and \(range.upperBound)")
      }
      return number
    }
  }

  /// Adds an option whose value `read` makes of its text; what `read` throws is told with the option's name.
  public func option<Value: Sendable>(
    _ name: String, short: Character? = nil, placeholder: String, _ help: String,
    read: @escaping (String) throws -> Value
  ) -> CommandLineOption<Value> {
    entries.append(Entry(name: name, short: short, help: help, placeholder: placeholder, read: read))
    return CommandLineOption(name: name)
  }

  /// Accepts arguments that are no options; without this they are an error.
  public func acceptRemaining(placeholder: String) {
    remainingPlaceholder = placeholder
  }

  // MARK: Reading

  /// Reads a command line. Its first element is the program's name.
  ///
  /// - Throws: ``CommandLineError``.
  public func parse(_ arguments: [String]) throws -> Outcome {
    let found = Found()
    let context = OptionContext(
      parameters: parameters, summary: summary, details: details,
      entries: entries.map { .init(name: $0.name, short: $0.short, help: $0.help, placeholder: $0.placeholder) },
      remaining: remainingPlaceholder)
    do {
      try context.parse(arguments) { found.items.append(($0, $1)) }
    } catch let error as GLibError {
      throw CommandLineError(error.message)
    }
    let result = try sort(found.items)
    return result.flags.contains("help") ? .help(context.help) : .arguments(result)
  }

  private final class Found {
    var items: [(name: String, value: String?)] = []
  }

  private func sort(_ items: [(name: String, value: String?)]) throws -> CommandLineArguments {
    var arguments = CommandLineArguments()
    for (name, value) in items {
      switch (entries.first { $0.name == name || $0.short.map(String.init) == name }, value) {
      case (let entry?, let value?):
        do {
          arguments.values[entry.name, default: []].append(try entry.read(value))
        } catch {
          throw CommandLineError("--\(entry.name): \(error)")
        }
      case (let entry?, nil): arguments.flags.insert(entry.name)
      case (nil, let value?): arguments.remaining.append(value)
      case (nil, nil): break
      }
    }
    return arguments
  }
}
