// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension Verb {
  /// `chappie explain-last`: explains the last failed command of the shell.
  static let explainLast = Verb(
    "explain-last", tr("Explain why the last failed command failed"),
    details: tr(
      """
      The function explain-last of chappie shell-integration runs this with the text and the exit status of the \
      command. The output of the command is not known: pipe it in, if the model shall read it. What is sent is shown \
      first. The template “explain-last” has the question.
      """)
  ) { parser in
    let account = parser.account()
    let raw = parser.raw()
    let shell = parser.shell()
    let yes = parser.yes()
    return { arguments in
      let failed = try failedCommand()
      let output = StandardInput.isPipeOrFile ? try AskInput.shortText() : ""
      if StandardInput.isPipeOrFile { StandardInput.readTerminal() }
      let asks = try arguments.asks(unless: yes)
      let asked = try ShellQuestion(
        "explain-last", failed.text, shell: arguments[shell], ["status": "\(failed.status.value)", "output": output])
      let asking = Asking(
        account: arguments[account], question: asked.question, options: asked.options,
        output: AnswerOutput(raw: arguments[raw]))
      return Work { service in
        if asks {
          let parts = [try asked.options.value("instructions", as: String.self), asked.question.text]
          StandardStream.error.write(parts.compactMap(\.self).joined(separator: "\n\n") + "\n\n")
          try await Confirmation.ask(tr("Send this?"), refused: tr("Nothing was sent."))
        }
        return try await asking.run(service, thread: nil, continues: false)
      }
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
