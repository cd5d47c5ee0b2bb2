// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import Templates

extension Verb {
  /// `chappie shell-integration`: prints what the startup file of a shell runs.
  static let shellIntegration = Verb(
    "shell-integration", tr("Print lines for the startup file of a shell"),
    details: tr(
      """
      Alt-C, or the key in CHAPPIE_KEY, then turns the text at the prompt into a command, which it does not run; \
      explain-last explains the last failed command. A line for each shell:
        eval "$(chappie shell-integration bash)"   in ~/.bashrc
        eval "$(chappie shell-integration zsh)"    in ~/.zshrc
        chappie shell-integration fish | source    in ~/.config/fish/config.fish
      """),
    word(tr("SHELL"), tr("Which shell is it: bash, zsh or fish?"))
  ) { shell in
    let script =
      switch shell {
      case "bash": PackageResources.chappie_bash
      case "zsh": PackageResources.chappie_zsh
      case "fish": PackageResources.chappie_fish
      case let other: throw CommandLineError(tr("There are lines for bash, zsh and fish, not for “\(other)”."))
      }
    return Work(local: { StandardStream.output.write(data: String(decoding: script, as: UTF8.self)) })
  }
}

extension Verb {
  /// `chappie suggest-command`: turns a text into a command of the shell.
  static let suggestCommand = Verb(
    "suggest-command", tr("Turn a text into a command of the shell, and print it"),
    details: tr(
      """
      Nothing is run. The text is the arguments, or standard input. The model also gets the names of the shell and of \
      the operating system. The template “command” has the question.
      """),
    account, shell, words(tr("TEXT…"))
  ) { account, shell, words in
    let words = words.joined(separator: " ")
    let text = try AskInput.shortText(words.isEmpty ? nil : words)
    guard !text.trimmed.isEmpty else {
      throw CommandLineError(tr("There is no text: say what the command shall do."))
    }
    let asked = try ShellQuestion("command", text, shell: shell)
    return Work.exiting { service in
      let client = try await service.openClient(account)
      let output = AnswerOutput(form: .command, raw: true)
      let spinner = Spinner(tr("Waiting for the answer"), after: .milliseconds(300))
      defer { spinner.stop() }
      return try await TurnPrinter(service: service, client: client, output: output, spinner: spinner)
        .print(asked.question, asked.options)
    }
  }

  /// The option `--shell` of the verbs about commands of the shell.
  private static var shell: VerbOption<String?> {
    text("shell", placeholder: tr("NAME"), tr("The shell of the command"))
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
    question = Question(text: filled.question)
    options = try template.options(instructions: filled.instructions)
  }
}

extension Verb {
  /// `chappie explain-last`: explains the last failed command of the shell.
  static let explainLast = Verb(
    "explain-last", tr("Explain why the last failed command failed"),
    details: tr(
      """
      The function explain-last of chappie shell-integration runs this with the text and the exit status of the \
      command. The output of the command is not known: pipe it in, if the model shall read it. What is sent is shown \
      first. The template “explain-last” has the question.
      """),
    account, raw, shell, yes
  ) { account, raw, shell, yes in
    let failed = try failedCommand()
    let output = StandardInput.isPipeOrFile ? try AskInput.shortText() : ""
    if StandardInput.isPipeOrFile { StandardInput.readTerminal() }
    let asks = try asksFirst(unless: yes)
    let asked = try ShellQuestion(
      "explain-last", failed.text, shell: shell, ["status": "\(failed.status.value)", "output": output])
    let asking = Asking(
      account: account, question: asked.question, options: asked.options, output: AnswerOutput(raw: raw))
    return Work.exiting { service in
      if asks {
        let parts = [try asked.options.value("instructions", as: String.self), asked.question.text]
        StandardStream.error.write(parts.compactMap(\.self).joined(separator: "\n\n") + "\n\n")
        try await Confirmation.ask(tr("Send this?"), refused: tr("Nothing was sent."))
      }
      return try await asking.run(service, thread: nil, continues: false)
    }
  }

  /// The command that the function of the shell tells of, in the environment of this process alone.
  private static func failedCommand() throws -> (text: String, status: Count) {
    guard let status = CurrentProcess.environment("CHAPPIE_LAST_STATUS").flatMap({ Count(text: $0) }) else {
      throw CommandLineError(
        tr("The shell did not tell its last command: see chappie shell-integration --help, and run explain-last."))
    }
    guard status > 0 else {
      throw CommandLineError(tr("No command has failed in this shell."))
    }
    guard let text = CurrentProcess.environment("CHAPPIE_LAST_COMMAND") else {
      throw CommandLineError(tr("The last failed command is not known: the shell's history did not keep it."))
    }
    return (try AskInput.shortText(text), status)
  }
}
