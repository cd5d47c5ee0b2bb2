// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A part of a verb's command line, and how its value is read.
struct VerbOption<Value: Sendable>: Sendable {
  /// Declares it, and returns a function that reads the value or throws `CommandLineError`.
  let declare: @Sendable (CommandLineParser) -> @Sendable (CommandLineArguments) throws -> Value

  /// The same part with another value.
  func map<Other>(_ change: @escaping @Sendable (Value) throws -> Other) -> VerbOption<Other> {
    VerbOption<Other> { [declare] parser in
      let read = declare(parser)
      return { try change(try read($0)) }
    }
  }
}

extension Verb {
  static func flag(
    _ name: String, short: Character? = nil, _ help: @autoclosure @escaping @Sendable () -> String
  ) -> VerbOption<Bool> {
    VerbOption { parser in
      let flag = parser.flag(name, short: short, help())
      return { $0[flag] }
    }
  }

  /// An option that may be repeated.
  static func options<Value>(
    _ name: String, short: Character? = nil, placeholder: @autoclosure @escaping @Sendable () -> String,
    _ help: @autoclosure @escaping @Sendable () -> String, read: @escaping @Sendable (String) throws -> Value
  ) -> VerbOption<[Value]> {
    VerbOption { parser in
      let option = parser.option(name, short: short, placeholder: placeholder(), help(), read: read)
      return { $0.all(option) }
    }
  }

  /// An option with a text that may be repeated.
  static func texts(
    _ name: String, short: Character? = nil, placeholder: @autoclosure @escaping @Sendable () -> String,
    _ help: @autoclosure @escaping @Sendable () -> String
  ) -> VerbOption<[String]> {
    VerbOption { parser in
      let option = parser.string(name, short: short, placeholder: placeholder(), help())
      return { $0.all(option) }
    }
  }

  /// An option with a text. Of several the last counts.
  static func text(
    _ name: String, short: Character? = nil, placeholder: @autoclosure @escaping @Sendable () -> String,
    _ help: @autoclosure @escaping @Sendable () -> String
  ) -> VerbOption<String?> {
    texts(name, short: short, placeholder: placeholder(), help()).map(\.last)
  }

  /// The arguments that are no options.
  static func words(_ placeholder: @autoclosure @escaping @Sendable () -> String) -> VerbOption<[String]> {
    VerbOption { parser in
      parser.acceptRemaining(placeholder: placeholder())
      return { $0.remaining }
    }
  }
}
