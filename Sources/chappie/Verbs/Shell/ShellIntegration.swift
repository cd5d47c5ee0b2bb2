// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

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
      """)
  ) { parser in
    parser.acceptRemaining(placeholder: tr("SHELL"))
    return { arguments in
      let script =
        switch try arguments.one(tr("Which shell is it: bash, zsh or fish?")) {
        case "bash": PackageResources.chappie_bash
        case "zsh": PackageResources.chappie_zsh
        case "fish": PackageResources.chappie_fish
        case let other: throw CommandLineError(tr("There are lines for bash, zsh and fish, not for “\(other)”."))
        }
      return Work(anywhere: { _ in
        StandardStream.output.write(data: String(decoding: script, as: UTF8.self))
        return .success
      })
    }
  }
}
