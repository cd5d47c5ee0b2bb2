// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A line on the terminal that shows that the command waits, and how much time is left.
@GLibActor
final class Spinner {
  private static let frames =
    StandardStream.error.has("⠋")
    ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]

  /// The reason for the wait.
  var text: String
  private let deadline: Timestamp?
  private var frame = 0
  private var timer: Timer?

  /// Starts to spin if standard error is a terminal; otherwise it does nothing.
  ///
  /// - Parameters:
  ///   - deadline: the end of the wait, for the time that is left; nil shows no time.
  ///   - delay: a wait that is no longer than this is not shown.
  init(_ text: String, until deadline: Timestamp? = nil, after delay: Duration = .zero) {
    self.text = text
    self.deadline = deadline
    guard StandardStream.error.isTerminal else { return }
    timer = Timer(after: delay) { [weak self] in self?.draw() }
  }

  /// Runs `work`, and spins if it takes longer than 300 milliseconds.
  static func show<Result: Sendable>(_ text: String, _ work: () async throws -> Result) async rethrows -> Result {
    let spinner = Spinner(text, after: .milliseconds(300))
    defer { spinner.stop() }
    return try await work()
  }

  /// Stops, and clears the line.
  func stop() {
    guard timer != nil else { return }
    timer?.cancel()
    timer = nil
    StandardStream.error.write(controlSequences: "\r\u{1B}[K")
  }

  private func draw() {
    let left = deadline.map { max(0, Int($0.seconds(since: .now))) }
    let time = left.map { "\($0 / 60):\($0 % 60 < 10 ? "0" : "")\($0 % 60)" }.map { " " + tr("\($0) left") } ?? ""
    StandardStream.error.write(
      controlSequences: "\r\u{1B}[K\(Self.frames[frame % Self.frames.count]) \(text.terminalSafeLine)\(time)")
    frame += 1
    timer = Timer(after: .milliseconds(120)) { [weak self] in self?.draw() }
  }
}
