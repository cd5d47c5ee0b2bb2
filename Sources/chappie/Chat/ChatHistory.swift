// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// What a chat has seen, in memory alone, and what it adds to the next question.
@GLibActor
struct ChatHistory {
  /// The model does not know of an answer that is not complete.
  typealias Exchange = (question: Question, answer: KeptAnswer)

  var exchanges: [Exchange] = []
  private var files: [AttachedFile] = []
  private var images: [String] = []

  /// There is nothing that could be copied, saved, removed or asked again.
  nonisolated static let nothing = CommandFailure(.failed, tr("Nothing has been asked yet."))

  /// The last exchange.
  ///
  /// - Throws: ``CommandFailure`` if there is none.
  func last() throws(CommandFailure) -> Exchange {
    guard let last = exchanges.last else { throw Self.nothing }
    return last
  }

  /// The text of the last answer that has one.
  ///
  /// - Throws: ``CommandFailure`` if there is none.
  func lastAnswer() throws(CommandFailure) -> String {
    guard let last = exchanges.last(where: { !$0.answer.text.isEmpty }) else { throw Self.nothing }
    return last.answer.text
  }

  /// Adds a text file or a document to the next question.
  ///
  /// - Returns: its name and size, for a person.
  /// - Throws: `CommandLineError` if it cannot be read, or is neither.
  mutating func add(file: String) throws -> String {
    // Standard input is the terminal.
    let path = file == AttachedFile.input ? "./\(file)" : file
    let attached = try AttachedFile(path, textLimit: AskInput.textLimit, image: "/image")
    files.append(attached)
    return attached.label
  }

  /// Adds a picture to the next question.
  ///
  /// - Returns: its name and size, or its address, for a person.
  /// - Throws: ``CommandFailure`` if there is no such file.
  mutating func add(image: String) throws(CommandFailure) -> String {
    let address = AskInput.address(image)
    guard address.hasPrefix("/") else {
      images.append(address)
      return address
    }
    guard FileKind(address) == .regular else { throw CommandFailure(.failed, tr("There is no file \(image).")) }
    images.append(address)
    return "\(image) (\(ByteCount(bytes: UInt64(Files.size(address))).text))"
  }

  /// The question of a line, with what was added.
  mutating func question(_ line: String) -> Question {
    defer { (files, images) = ([], []) }
    return Question(
      text: ([line] + files.compactMap(\.markdown)).joined(separator: "\n\n"), images: images,
      files: files.compactMap(\.address))
  }

  /// The exchanges as a Markdown document.
  ///
  /// - Throws: ``CommandFailure`` if there are none.
  func markdown() throws(CommandFailure) -> String {
    guard !exchanges.isEmpty else { throw Self.nothing }
    let parts = exchanges.flatMap { question, answer in
      let images = question.images.map { _ in "*\(tr("An image"))*" }
      let files = question.files.map { "*\(tr("File \(Markdown.escaped(AttachedFile.name(of: $0)))"))*" }
      let text = answer.text.isEmpty ? [] : ["## \(tr("Assistant"))", Markdown.closed(answer.text)]
      let sources = answer.pages.isEmpty ? [] : [Markdown.sources(answer.pages)]
      return ["## \(tr("You"))", Markdown.quote(question.text)] + images + files + text + sources
        + (answer.isComplete ? [] : ["**\(tr("The answer was not completed."))**"])
    }
    return parts.joined(separator: "\n\n") + "\n"
  }
}
