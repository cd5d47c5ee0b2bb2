import AnswerRendering
import GLibBridge
import Platform

/// Shows an answer on standard output while it comes. A terminal gets it laid out; a pipe, a file and `--raw` get it as
/// it is.
///
/// Until the first word, and while a tool works, a line tells what the answer waits for, and for how long.
@GLibActor
final class AnswerView {
  private enum Target {
    case raw(endsInNewline: Bool)
    case terminal(AnswerStream)
  }

  /// No more than thirty times a second, however fast the words come.
  private static let pause = Duration.milliseconds(33)
  /// A shorter wait is not shown.
  private static let patience = Duration.milliseconds(300)

  private var target: Target
  private var pausing: Timer?
  private var isChanged = false
  private var waiting: (reason: String, since: ContinuousClock.Instant)?
  private var ticking: Timer?

  /// - Parameter raw: whether a terminal gets the text as it is as well.
  init(raw: Bool) {
    target = AnswerFormat.ofTerminal.flatMap { raw ? nil : .terminal(AnswerStream($0)) } ?? .raw(endsInNewline: true)
  }

  /// Shows that the answer waits. The next text ends that.
  ///
  /// - Parameter reason: such as “Thinking”, without control characters.
  func wait(for reason: String) {
    guard case .terminal = target else { return }
    waiting = (reason, waiting?.since ?? .now)
    if ticking == nil { tick(after: Self.patience) }
  }

  private func tick(after delay: Duration) {
    ticking = Timer(after: delay) { [weak self] in
      guard let self, waiting != nil else { return }
      draw()
      tick(after: delay == Self.patience ? .seconds(1) - delay : .seconds(1))
    }
  }

  func append(_ text: String) {
    guard !text.isEmpty else { return }
    switch target {
    case .raw:
      StandardStream.output.write(data: text)
      target = .raw(endsInNewline: text.hasSuffix("\n"))
    case .terminal(var stream):
      stream.append(text)
      target = .terminal(stream)
      waiting = nil
      ticking = nil
      isChanged = true
      if pausing == nil { drawAndPause() }
    }
  }

  private func drawAndPause() {
    draw()
    pausing = Timer(after: Self.pause) { [weak self] in
      guard let self else { return }
      pausing = nil
      if isChanged { drawAndPause() }
    }
  }

  /// Ends the answer, and the line.
  func finish() {
    waiting = nil
    ticking = nil
    pausing = nil
    switch target {
    case .raw(let endsInNewline): if !endsInNewline { StandardStream.output.write("\n") }
    case .terminal: draw(isComplete: true)
    }
    target = .raw(endsInNewline: true)
  }

  private func draw(isComplete: Bool = false) {
    guard case .terminal(var stream) = target, let format = AnswerFormat.ofTerminal else { return }
    isChanged = false
    let text = stream.frame(format, status: status, isComplete: isComplete)
    target = .terminal(stream)
    if !text.isEmpty { StandardStream.output.write(controlSequences: text) }
  }

  private var status: String? {
    waiting.map { reason, since in
      let seconds = (ContinuousClock.now - since).components.seconds
      return seconds > 0 ? tr("\(reason)… \(seconds) s") : "\(reason)…"
    }
  }
}
