// SPDX-License-Identifier: Apache-2.0
import AnswerRendering
import GLibBridge
import Glibc
import Platform

/// Shows an answer on standard output while it comes. A terminal gets it laid out; a pipe, a file and `--raw` get it as
/// it is.
///
/// Until the first word, and while a tool works, a line tells what the answer waits for, and for how long.
@GLibActor
final class AnswerView {
  /// No more than thirty times a second, however fast the words come.
  private static let pause = Duration.milliseconds(33)
  /// A shorter wait is not shown.
  private static let patience = Duration.milliseconds(300)

  /// Nil if the answer is written as it is.
  private var stream: AnswerStream?
  private var endsInNewline = true
  private var hiddenTyping: HiddenTyping?
  private var pausing: Timer?
  private var isChanged = false
  private var waiting: (reason: String, since: ContinuousClock.Instant)?
  private var ticking: Timer?
  private var resizes: UnixSignalWatch?

  /// - Parameter raw: whether a terminal gets the text as it is as well.
  init(raw: Bool) {
    stream = raw ? nil : AnswerFormat.ofTerminal.map { AnswerStream($0) }
    guard stream != nil else { return }
    hiddenTyping = HiddenTyping()
    resizes = UnixSignalWatch(SIGWINCH) { [weak self] in self?.draw() }
  }

  /// Shows that the answer waits. The next text ends that.
  ///
  /// - Parameter reason: such as “Thinking”, without control characters.
  func wait(for reason: String) {
    guard stream != nil else { return }
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
    guard stream != nil else {
      StandardStream.output.write(data: text)
      endsInNewline = text.hasSuffix("\n")
      return
    }
    // A character that takes another's place may have another width.
    stream?.append(Charset.ofTerminal.shown(text))
    waiting = nil
    ticking = nil
    isChanged = true
    if pausing == nil { drawAndPause() }
  }

  private func drawAndPause() {
    draw()
    pausing = Timer(after: Self.pause) { [weak self] in
      guard let self else { return }
      pausing = nil
      if isChanged { drawAndPause() }
    }
  }

  /// Lets `ask` write and read on the terminal, and goes on with the answer then.
  func pausing(while ask: @GLibActor () async -> Void) async {
    waiting = nil
    ticking = nil
    draw()
    let isHiding = hiddenTyping != nil
    hiddenTyping = nil
    await ask()
    if isHiding, stream != nil { hiddenTyping = HiddenTyping() }
  }

  /// Ends the answer, and the line.
  func finish() {
    waiting = nil
    ticking = nil
    pausing = nil
    draw(isComplete: true)
    stream = nil
    hiddenTyping = nil
    resizes = nil
    if !endsInNewline { StandardStream.output.write("\n") }
    endsInNewline = true
  }

  private func draw(isComplete: Bool = false) {
    isChanged = false
    guard let format = AnswerFormat.ofTerminal,
      let text = stream?.frame(format, status: status, isComplete: isComplete), !text.isEmpty
    else { return }
    StandardStream.output.write(controlSequences: text)
  }

  private var status: String? {
    waiting.map { reason, since in
      let seconds = (ContinuousClock.now - since).components.seconds
      return seconds > 0 ? tr("\(reason)… \(seconds) s") : "\(reason)…"
    }
  }
}
