// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Shows a model that takes no files what is in them.
@GLibActor
final class FileTexts {
  /// The contents of the files of the last conversation: the next turn sends them again.
  private var contents: [(file: ChappieInputFile, content: DocumentContent)] = []

  /// The approximate memory, in bytes.
  var footprint: Int { contents.reduce(0) { $0 + $1.content.footprint } }

  func forget() {
    contents = []
  }

  /// The items, with text and pictures in place of their files.
  ///
  /// - Parameter hold: is called with the bytes of each content before there are more.
  /// - Throws: ``ChappieClientError`` for a file that only the backend could read, or that cannot be read, and the errors
  ///   of `hold`.
  func replacing(
    filesIn items: [ConversationItem], of model: RequestModel, hold: @GLibActor (Int) throws(ChappieClientError) -> Void
  ) async throws -> [ConversationItem] {
    let known = self.contents
    forget()
    var contents: [(file: ChappieInputFile, content: DocumentContent)] = []
    var limits = DocumentReader.Limits(pictures: model.readsImages == false ? 0 : ChappieImage.messageLimit)
    for file in items.flatMap(\.files) {
      // The same text is the same memory as a rule, and is compared at once.
      let same = (contents + known).first { $0.file == file && $0.content.pictureBytes <= limits.pictures }?.content
      let content = if let same { same } else { try await content(of: file, for: model, limits) }
      try hold(content.footprint)
      limits.take(content, wasRead: same == nil)
      contents.append((file, content))
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
          images: message.images + parts.flatMap(\.content.pictures), options: message.options))
    }
  }

  private func content(
    of file: ChappieInputFile, for model: RequestModel, _ limits: DocumentReader.Limits
  ) async throws -> DocumentContent {
    switch file.kind {
    case .pdf: return try await DocumentReader.read(await offActor { file.data }, name: file.name, limits)
    case .text:
      return DocumentContent(text: await offActor { file.text ?? "" }, pictures: [], time: .zero)
    case .office:
      throw ChappieClientError.invalidArgument(
        en(
          """
          The model \(model.slug) takes no files here, and '\(Redaction.message(file.name))' cannot be read otherwise: \
          convert it to PDF.
          """))
    }
  }
}
