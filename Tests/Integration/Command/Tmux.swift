// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

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
          [ $tries -lt 600 ] || { echo "no $*"; screen; exit 1; }
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
