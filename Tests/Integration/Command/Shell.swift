// SPDX-License-Identifier: Apache-2.0

/// A shell with an integration.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  /// Those of this machine.
  static let installed = allCases.filter { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }

  /// Begins the shell with the integration, as its startup file does.
  var program: String {
    switch self {
    case .bash: "exec bash --rcfile start -i"
    case .zsh: "ZDOTDIR=$HOME exec zsh -i"
    case .fish: #"exec fish -i -C "source start""#
    }
  }

  /// The startup file.
  var start: String {
    switch self {
    case .bash: #"PS1="> " HISTCONTROL=ignoreboth; set -au; eval "$(chappie shell-integration bash)""#
    case .zsh: #"PS1="> "; setopt no_prompt_sp nounset allexport ksharrays; eval "$(chappie shell-integration zsh)""#
    case .fish:
      #"function fish_prompt; echo -n "> "; end; set -g fish_greeting; chappie shell-integration fish | source"#
    }
  }

  /// A line of the startup file before the integration, which makes Ctrl-G the key.
  var keyLine: String {
    switch self {
    case .bash: #"CHAPPIE_KEY='\C-g'"#
    case .zsh: "CHAPPIE_KEY='^G'"
    case .fish: #"set -g CHAPPIE_KEY \cg"#
    }
  }
}

extension World {
  /// A world in which the script of a person has run at a shell with the integration and the shipped templates.
  ///
  /// - Parameters:
  ///   - answers: what the stand-in answers, one after the other, as JSON.
  ///   - before: a line of the startup file before the integration.
  ///   - script: begins at the first prompt.
  ///   - starts: more startup files, by their names in the home directory.
  @discardableResult
  static func at(
    _ shell: Shell, answers: [String] = [], before: String = "", _ script: String, starts: [String: String] = [:]
  ) async throws -> World {
    let (world, _) = try await signedIn()
    let templates = world.directories.data.appending(path: "chappie/templates")
    try FileManager.default.createDirectory(
      at: templates.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: templates, withDestinationURL: URL(filePath: SourceTree.path(of: "data/templates")))
    // Otherwise fish makes completions of all manual pages, for a minute.
    for place in [".local/share", ".cache"] {
      try FileManager.default.createDirectory(
        at: world.directories.home.appending(path: "\(place)/fish/generated_completions"),
        withIntermediateDirectories: true)
    }
    let start = world.directories.home.appending(path: shell == .zsh ? ".zshrc" : "start")
    try (before + "\n" + shell.start).write(to: start, atomically: true, encoding: .utf8)
    for (name, text) in starts {
      try text.write(to: world.directories.home.appending(path: name), atomically: true, encoding: .utf8)
    }
    try await world.sandbox.play("[\(answers.joined(separator: ","))]")
    let path = URL(filePath: Binaries.chappie).deletingLastPathComponent().path
    _ = try await world.atTmux(
      shell.program, "sees '^>'\n" + script,
      environment: ["PATH": "\(path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"])
    return world
  }
}

extension World {
  /// Runs `program` in a real terminal with a screen of 24 lines, and a shell's script of a person in front of it:
  /// `keys` types, `sees` waits for a line that matches, `succeeds` for a command, `screen` prints what is shown, and
  /// `$0` is chappie.
  ///
  /// - Parameters:
  ///   - program: a line of the shell.
  ///   - environment: more variables of both.
  /// - Returns: what the script prints.
  func atTmux(
    _ program: String, _ script: String, columns: Int = 80, environment: [String: String] = [:]
  ) async throws -> String {
    let beginning = """
      tmux="tmux -S $HOME/tmux -f /dev/null"
      screen() { $tmux capture-pane -p -J -S -; }
      keys() { $tmux send-keys "$@"; }
      # Waits until a command succeeds.
      succeeds() {
        tries=0
        until "$@"; do
          tries=$((tries + 1))
          [ $tries -lt 2400 ] || { echo "no $*"; screen; exit 1; }
          sleep 0.05
        done
      }
      shows() { screen | grep -q -- "$1"; }
      sees() { succeeds shows "$1"; }
      trap '$tmux kill-server' EXIT
      $tmux new-session -d -x \(columns) -y 24 '\(program)' || exit
      $tmux set -s set-clipboard on

      """
    let process = try ChildProcess(
      "tmux", "/bin/sh", ["-c", beginning + script, Binaries.chappie], in: directories,
      environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm-256color"].merging(environment) { $1 })
    #expect(try await process.waitForEnd() == .exit(0), "\(process.output)")
    return process.output
  }
}
