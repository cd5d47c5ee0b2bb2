// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import Templates

extension Verb {
  /// `chappie suggest-command`: turns a text into a command of the shell.
  static let suggestCommand = Verb(
    "suggest-command", tr("Turn a text into a command of the shell, and print it"),
    details: tr(
      """
      Nothing is run. The text is the arguments, or standard input. The model also gets the names of the shell and of \
      the operating system. The template “command” has the question.
      """)
  ) { parser in
    let account = parser.account()
    let shell = parser.shell()
    parser.acceptRemaining(placeholder: tr("TEXT…"))
    return { arguments in
      let words = arguments.remaining.joined(separator: " ")
      let text = try AskInput.shortText(words.isEmpty ? nil : words)
      guard !text.trimmed.isEmpty else {
        throw CommandLineError(tr("There is no text: say what the command shall do."))
      }
      let asked = try ShellQuestion("command", text, shell: arguments[shell])
      return Work { service in
        let client = try await service.openClient(arguments[account])
        let printer = TurnPrinter(
          service: service, client: client, output: AnswerOutput(form: .command, raw: true))
        return try await Spinner.show(tr("Waiting for the answer")) {
          try await printer.print(asked.question, asked.options)
        }
      }
    }
  }
}

/// A question about a command of the shell, from a template.
struct ShellQuestion {
  let question: Question
  let options: VariantDictionary

  /// - Parameters:
  ///   - template: the name of the template.
  ///   - input: what the user typed. It is sent without the line breaks at its end, as the values are.
  ///   - shell: the name of the shell; nil for the user's own.
  ///   - values: the values of more variables. A variable that the template lacks is left out.
  /// - Throws: ``CommandLineError`` if there is no such template, or if it cannot be filled.
  init(_ template: String, _ input: String, shell: String?, _ values: [String: String] = [:]) throws {
    let own = CurrentProcess.environment("SHELL")?.split(separator: "/").last.map(String.init)
    let template = try TemplateDirectory.template(template)
    let machine = ["shell": shell ?? own ?? "sh", "os": OperatingSystem.name ?? "Linux"]
    let all = machine.merging(values) { $1 }.filter { template.variables.contains($0.key) }
    let filled = try template.filled(
      all.mapValues { $0.trimmingEnd(while: \.isNewline) }, input: input.trimmingEnd(while: \.isNewline))
    question = Question(text: filled.question, images: [], files: [])
    var options: VariantDictionary = [:]
    try template.complete(&options, instructions: filled.instructions)
    self.options = options
  }
}

extension CommandLineParser {
  /// The option `--shell` of the verbs about commands of the shell.
  func shell() -> CommandLineOption<String> {
    string("shell", placeholder: tr("NAME"), tr("The shell of the command"))
  }
}
