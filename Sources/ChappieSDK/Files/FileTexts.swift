// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Shows a model that takes no files what is in them.
@GLibActor
final class FileTexts {
  /// The contents of the files of the last conversation: the next turn sends them again.
  private var contents: [(file: ChappieInputFile, content: DocumentContent)] = []

  /// The approximate memory, in bytes.
  var footprint: Int {
    contents.reduce(0) { $0 + $1.content.text.utf8.count + $1.content.pictures.reduce(0) { $0 + $1.url.utf8.count } }
  }

  func forget() {
    contents = []
  }

  /// The items, with text and pictures in place of their files.
  ///
  /// - Throws: ``ChappieClientError`` for a file that only the backend could read, or that cannot be read.
  func replacing(filesIn items: [ConversationItem], of model: RequestModel) async throws -> [ConversationItem] {
    var contents: [(file: ChappieInputFile, content: DocumentContent)] = []
    for file in items.flatMap(\.files) {
      contents.append((file, try await content(of: file, for: model)))
    }
    self.contents = contents
    var rest = contents[...]
    Log.info("\(name: model.slug) gets the text of \(contents.count) files: it takes no files.")
    return items.map { item in
      guard case .message(let message) = item, !message.files.isEmpty else { return item }
      let parts = rest.prefix(message.files.count)
      rest = rest.dropFirst(parts.count)
      let texts = parts.map { "File: \($0.file.name)\n\n\($0.content.text)" }
      return .message(
        ChappieInputMessage(
          role: message.role, text: ([message.text] + texts).joined(separator: "\n\n"),
          images: message.images + (model.readsImages == false ? [] : parts.flatMap(\.content.pictures)),
          options: message.options))
    }
  }

  private func content(of file: ChappieInputFile, for model: RequestModel) async throws -> DocumentContent {
    // The same text is the same memory as a rule, and is compared at once.
    if let known = contents.first(where: { $0.file == file }) { return known.content }
    switch file.kind {
    case .pdf: return try await DocumentReader.read(await offActor { file.data }, name: file.name)
    case .text:
      return DocumentContent(text: await offActor { file.text ?? "" }, pictures: [], pageCount: 1)
    case .office:
      throw ChappieClientError.invalidArgument(
        "The model \(model.slug) takes no files here, and '\(file.name)' cannot be read otherwise: convert it to PDF.")
    }
  }
}

extension TurnRequest {
  var hasFiles: Bool { input.contains { !$0.files.isEmpty } }
}
