// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Platform

/// The sentences of the service's errors that people meet at a terminal, in the user's language.
enum ServiceSentences {
  /// `message` of the service in the user's language; unchanged if it is not known here.
  static func translated(_ message: String) -> String {
    let sentence = ErrorSentences.translated(message, by: all)
    return sentence == message ? ErrorSentences.translated(message) : sentence
  }

  private static let value = ""

  private static let all = [
    // Turns
    translatable("There are \(value) tool servers, and \(value) are allowed: name fewer."),
    translatable("An app in a sandbox brings its own tools: the user's tool servers are not for it."),
    translatable("Tool servers are off: the configuration of chappied has [Tools] Enabled=false."),
    translatable("There is no tool server '\(value)': chappie tools list shows them."),
    translatable("The tool server '\(value)' is switched off: chappie tools enable \(value) switches it on."),
    translatable("The tool server '\(value)' is denied: chappie tools policy \(value) ask allows it again."),
    translatable(
      "The tools of '\(value)' are not those that you have approved: chappie tools approve \(value) shows what is new."),
    translatable("The tool server '\(value)' did not start: \(value)."),
    translatable("The tool server '\(value)' has ended: \(value)."),
    translatable("The tool server '\(value)' cannot be used: \(value)."),
    translatable("There are \(value) images, and \(value) are allowed: show fewer."),
    translatable(
      "The images and files take \(value) MiB as they are sent, and \(value) MiB are allowed: send fewer or smaller ones."
    ),
    translatable("There are \(value) files, and \(value) are allowed: send fewer."),
    translatable("The files have \(value) MB, and \(value) MB are allowed: send fewer or smaller ones."),
    translatable("The file '\(value)' is empty."),
    translatable(
      "The model \(value) takes no files here, and '\(value)' cannot be read otherwise: convert it to PDF."),
    translatable(
      "The file '\(value)' is no document that a model reads: give a PDF, an office document, a spreadsheet or UTF-8 text."
    ),
    translatable("The text has \(value) bytes, and \(value) are allowed: send less."),
    translatable("Nothing is approved while the screen or the keyring is locked: unlock it, or deny."),
    translatable("There is no turn to remove."),
    translatable(
      "The user does not allow ChatGPT to be used in the background here: to allow it, run \(value)."),
    translatable(
      """
      The use of ChatGPT in the background needs the user's consent, and nobody has given it: to allow it, run \(value).
      """),
    translatable("The answer on background use could not be stored: \(value)."),
    translatable("'\(value)' is no id of an app in a sandbox."),
    translatable("The templates cannot be read: chappie templates says why."),
    translatable("A directory of templates does not answer: check its disk or network."),
    translatable("It was cancelled."),
    translatable("It failed in an unexpected way."),
    // Threads
    translatable("There is no such thread: list the threads to see which there are."),
    translatable("The answer could not be stored. \(value) Ask GetTurn for \(value) to have it."),
    translatable("A title must have at most \(value) bytes and no control characters."),
    translatable("A turn of the thread runs: wait for its end, or cancel it."),
    translatable("The last turn of the thread is damaged, so it cannot be removed."),
    translatable("The last message of the thread is another one: open the thread again."),
    translatable("The thread has more than \(value) MiB: begin another one."),
    translatable("The thread would have more than \(value) MiB with this: send less, or begin another one."),
    translatable("There are \(value) threads: delete some before you begin more."),
    translatable("This program begins threads too fast: wait a moment before the next."),
    translatable("The thread cannot be read on this device, so it cannot be changed."),
    translatable("The thread cannot be read: it is damaged, or its key is missing. It can be deleted."),
    translatable(
      "The thread would exceed the limit of \(value) bytes for all threads: begin another thread, or raise the limit."),
    translatable(
      """
      Threads that cannot be read on this device fill the limit of \(value) bytes: raise the limit, or delete all threads.
      """),
    translatable(
      "The threads were stored on another device and can be read only there: delete all threads to start over here."),
    translatable("The turn is too large to store: it has more than \(value) MiB."),
    translatable("The key of the stored threads is missing, so they cannot be read: delete all threads to start over."),
    translatable("Another version of this program stored the threads: use that version to read them."),
    translatable("Another program has been writing to the stored threads: try again."),
    translatable("The disk that holds the threads does not answer: check the disk."),
    translatable(
      """
      The database of the threads in \(value) is damaged and was not changed: replace it by a good copy, or delete all \
      threads to start over.
      """),
    translatable("The threads in \(value) cannot be written: \(value)."),
    translatable("The threads in \(value) cannot be used: \(value)."),
    translatable("The disk is full: make room in \(value), or delete all threads."),
  ]
}
