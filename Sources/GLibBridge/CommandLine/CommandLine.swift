// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

/// An error in a command line, as a sentence for the user.
public struct CommandLineError: Error, Equatable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  /// Creates an error with this sentence.
  public init(_ description: String) {
    self.description = description
  }
}

/// A command line flag without a value, such as `--verbose`.
public struct CommandLineFlag: Sendable {
  let name: String
}

/// A command line option with a value, such as `--port 8080`.
public struct CommandLineOption<Value: Sendable>: Sendable {
  let name: String
}

/// A parsed command line.
public struct CommandLineArguments: Sendable {
  fileprivate var flags: Set<String> = []
  fileprivate var values: [String: [any Sendable]] = [:]
  /// The positional arguments, in order.
  public fileprivate(set) var remaining: [String] = []
  /// The words after `--`, if the parser accepts a command.
  public fileprivate(set) var command: [String] = []

  /// Whether the flag is present.
  public subscript(flag: CommandLineFlag) -> Bool { flags.contains(flag.name) }

  /// The value of the option; the last one when it is repeated.
  public subscript<Value>(option: CommandLineOption<Value>) -> Value? { all(option).last }

  /// All values of an option that may be repeated.
  public func all<Value>(_ option: CommandLineOption<Value>) -> [Value] {
    values[option.name, default: []].compactMap { $0 as? Value }
  }
}

/// Parses command lines with GOption. A program with subcommands uses one parser for each.
///
/// The texts of the help are evaluated only when it is shown, because looking up translations takes time.
public final class CommandLineParser {
  /// The outcome of parsing.
  public enum Outcome: Sendable {
    /// `--help`: the text to print.
    case help(String)
    /// Anything else.
    case arguments(CommandLineArguments)
  }

  struct Entry {
    let name: String
    let short: Character?
    let help: () -> String
    /// The placeholder for the value in the help; nil for a flag.
    let placeholder: (() -> String)?
    let read: (String) throws -> any Sendable
  }

  private let parameters: String?
  private let summary: () -> String
  private let details: () -> String
  private var entries: [Entry] = []
  private var remainingPlaceholder: (() -> String)?
  private var acceptsCommand = false

  /// Creates a parser with the flag `--help`.
  ///
  /// - Parameters:
  ///   - parameters: the text after `[OPTION…]` in the usage line, such as a subcommand.
  ///   - summary: the purpose of the program, above the options in the help.
  ///   - details: further text, below the options.
  public init(
    parameters: String? = nil, summary: @autoclosure @escaping () -> String,
    details: @autoclosure @escaping () -> String = ""
  ) {
    self.parameters = parameters
    self.summary = summary
    self.details = details
    _ = flag("help", short: "h", tr("Show this help"))
  }

  // MARK: Options and arguments

  /// Adds a flag without a value.
  public func flag(
    _ name: String, short: Character? = nil, _ help: @autoclosure @escaping () -> String
  ) -> CommandLineFlag {
    entries.append(Entry(name: name, short: short, help: help, placeholder: nil) { $0 })
    return CommandLineFlag(name: name)
  }

  /// Adds an option with a text as its value, which may not be empty: an unset variable of a script is a mistake.
  public func string(
    _ name: String, short: Character? = nil, placeholder: @autoclosure @escaping () -> String,
    _ help: @autoclosure @escaping () -> String
  ) -> CommandLineOption<String> {
    option(name, short: short, placeholder: placeholder(), help()) { text in
      guard !text.isEmpty else { throw CommandLineError(tr("the value is empty")) }
      return text
    }
  }

  /// Adds an option with an integer in `range` as its value.
  public func integer(
    _ name: String, short: Character? = nil, in range: ClosedRange<Int> = Int.min...Int.max,
    placeholder: @autoclosure @escaping () -> String, _ help: @autoclosure @escaping () -> String
  ) -> CommandLineOption<Int> {
    option(name, short: short, placeholder: placeholder(), help()) { text in
      guard let number = Int(text) else { throw CommandLineError(tr("“\(text)” is not a whole number")) }
      guard range.contains(number) else {
        throw CommandLineError(tr("\(number) is not between \(range.lowerBound) and \(range.upperBound)"))
      }
      return number
    }
  }

  /// Adds an option whose text `read` converts to its value. An error of `read` is reported with the option's name.
  public func option<Value: Sendable>(
    _ name: String, short: Character? = nil, placeholder: @autoclosure @escaping () -> String,
    _ help: @autoclosure @escaping () -> String,
    read: @escaping (String) throws -> Value
  ) -> CommandLineOption<Value> {
    entries.append(Entry(name: name, short: short, help: help, placeholder: placeholder, read: read))
    return CommandLineOption(name: name)
  }

  /// Accepts positional arguments, which are an error otherwise.
  public func acceptRemaining(placeholder: @autoclosure @escaping () -> String) {
    remainingPlaceholder = placeholder
  }

  /// Accepts positional arguments, and after `--` a command, whose options are its own.
  public func acceptCommand(placeholder: @autoclosure @escaping () -> String) {
    acceptRemaining(placeholder: placeholder())
    acceptsCommand = true
  }

  // MARK: Reading

  /// Parses a command line, whose first element is the program's name.
  ///
  /// - Throws: ``CommandLineError``.
  public func parse(_ arguments: [String]) throws -> Outcome {
    var found: [(name: String, value: String?)] = []
    let own = acceptsCommand ? Array(arguments.prefix { $0 != "--" }) : arguments
    do {
      try OptionContext(entries, remaining: remainingPlaceholder.map { _ in "" }) { found.append(($0, $1)) }.parse(own)
    } catch let error as GLibError {
      var suggestion = suggestion(for: arguments)
      if acceptsCommand, own == arguments { suggestion += " " + tr("The options of a command come after --.") }
      throw CommandLineError(error.message + (suggestion.isEmpty ? "" : ".") + suggestion)
    }
    var result = try sort(found)
    result.command = Array(arguments.dropFirst(own.count + 1))
    return result.flags.contains("help") ? .help(help(of: arguments.first ?? "")) : .arguments(result)
  }

  /// What the first unknown option of a command line probably means.
  private func suggestion(for arguments: [String]) -> String {
    let names = entries.map { "--\($0.name)" }
    let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    return options.first { !names.contains($0) }.map { Spelling.suggestion(for: $0, among: names) } ?? ""
  }

  private func help(of program: String) -> String {
    OptionContext(entries, parameters: parameters, remaining: remainingPlaceholder?(), isForHelp: true)
      .help(of: program, summary: summary(), details: details())
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
