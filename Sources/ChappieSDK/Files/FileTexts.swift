// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Shows a model that takes no files what is in them.
@GLibActor
final class FileTexts {
  /// The contents of the files of the last conversation: the next turn sends them again.
  private var contents: [ChappieInputFile: DocumentContent] = [:]

  /// The items, with text and pictures in place of their files.
  ///
  /// - Throws: ``ChappieClientError`` for a file that only the backend could read, or that cannot be read.
  func replacing(filesIn items: [ConversationItem], of model: RequestModel) async throws -> [ConversationItem] {
    var contents: [ChappieInputFile: DocumentContent] = [:]
    for file in items.flatMap(\.files) where contents[file] == nil {
      contents[file] = try await content(of: file, for: model)
    }
    self.contents = contents
    return items.map { item in
      guard case .message(let message) = item, !message.files.isEmpty else { return item }
      let parts = message.files.map { ($0.name, contents[$0]) }
      return .message(
        ChappieInputMessage(
          role: message.role,
          text: ([message.text] + parts.map { "File: \($0)\n\n\($1?.text ?? "")" }).joined(separator: "\n\n"),
          images: message.images + parts.flatMap { $1?.pictures ?? [] }, options: message.options))
    }
  }

  private func content(of file: ChappieInputFile, for model: RequestModel) async throws -> DocumentContent {
    if let known = contents[file] { return known }
    switch file.kind {
    case .pdf: return try await DocumentReader.read(file.data, name: file.name)
    case .text: return DocumentContent(text: String(decoding: file.data, as: UTF8.self), pictures: [], pageCount: 1)
    case .office:
      Log.info("\(name: model.slug) takes no files.")
      throw ChappieClientError.unsupportedCapability("\(file.name) with \(model.slug), which reads it as a PDF")
    }
  }
}

extension TurnRequest {
  var hasFiles: Bool { input.contains { !$0.files.isEmpty } }
}
