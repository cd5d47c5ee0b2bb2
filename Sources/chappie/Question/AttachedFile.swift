// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A file that comes with a question: a text, which becomes a part of the question under its name, or a document.
struct AttachedFile {
  /// The argument that means standard input.
  static let input = "-"
  /// The longest document, in bytes: with it, a thread can go on within the memory that the service has for a program.
  private static let documentLimit = 7 << 20

  /// The name and the size, for a person.
  let label: String
  /// The text as a part of a question: its name, and its text between fences. Nil for a document.
  let markdown: String?
  /// What names the document to the service: an absolute path, or an address that holds it. Nil for a text.
  let address: String?

  /// - Parameters:
  ///   - argument: the path of a file, or ``input``.
  ///   - textLimit: the longest text, in bytes.
  ///   - image: what takes images.
  /// - Throws: ``CommandLineError`` if it is no file, too long, or neither a text nor a document.
  init(_ argument: String, textLimit: Int, image: String = "--image") throws {
    let isInput = argument == Self.input
    let shown = isInput ? tr("Standard input") : argument
    let name = isInput ? "standard input" : argument.terminalSafeLine
    guard
      let bytes = isInput
        ? try AskInput.readAll(limit: Self.documentLimit)
        : try Self.read(
          argument, limit: Self.documentLimit, otherwise: tr("\(argument) is no regular file: pipe it in, and give -."))
    else { throw Self.tooLong(shown, Self.documentLimit) }
    label = "\(name) (\(ByteCount(bytes: UInt64(bytes.count)).text))"
    switch ChappieInputFile.Kind(bytes, name) {
    case .text:
      guard bytes.count <= textLimit else { throw Self.tooLong(shown, textLimit) }
      var text = String(decoding: bytes, as: UTF8.self)
      if text.hasPrefix("\u{FEFF}") { text = String(text.unicodeScalars.dropFirst()) }
      let fence = Markdown.fence(around: text)
      markdown = "File: \(name)\n\(fence)\n\(text)\(text.isEmpty || text.hasSuffix("\n") ? "" : "\n")\(fence)"
      address = nil
    case .pdf, .office:
      markdown = nil
      address =
        isInput ? try ChappieInputFile(data: bytes, name: "document").address : Directories.absolutePath(argument)
    case nil where ChappieImage(bytes: bytes) == nil:
      throw CommandLineError(tr("\(shown) is neither UTF-8 text nor a document that a model reads: convert it first."))
    case nil:
      throw CommandLineError(tr("\(shown) is an image: give it with \(image)."))
    }
  }

  /// The content of a regular file.
  ///
  /// - Parameter otherwise: what is said of a device, a pipe or a socket.
  /// - Throws: ``CommandLineError``.
  static func read(_ path: String, limit: Int, otherwise: String) throws -> [UInt8] {
    switch FileKind(path) {
    case .directory: throw CommandLineError(tr("\(path) is a directory: name a file in it."))
    case .sink, .other: throw CommandLineError(otherwise)
    case .nothing, .brokenLink, .regular: break
    }
    do {
      return try Files.read(path, limit: limit)
    } catch .missing {
      throw CommandLineError(tr("There is no file \(path)."))
    } catch .tooLarge {
      throw tooLong(path, limit)
    } catch {
      throw CommandLineError(tr("\(path) cannot be read: \(error.description)."))
    }
  }

  private static func tooLong(_ name: String, _ limit: Int) -> CommandLineError {
    CommandLineError(tr("\(name) is longer than \(ByteCount(bytes: UInt64(limit)).text): send less."))
  }

  /// The name of a document by what names it to the service, for a person.
  static func name(of address: String) -> String {
    address.hasPrefix("/") ? String(address.split(separator: "/").last ?? "").terminalSafeLine : "document"
  }
}

/// A JSON Schema that an answer must fit, from a file.
struct SchemaFile {
  /// The schema as the service takes it.
  let text: String
  /// The schema as the answer is checked.
  let schema: JSONSchema

  /// - Throws: ``CommandLineError`` if the file cannot be read, is no JSON object, or no schema.
  init(_ path: String) throws {
    let bytes = try AttachedFile.read(
      path, limit: JSONSchema.textLimit, otherwise: tr("The schema \(path) is no regular file."))
    guard let value = try? ChappieJSONValue(parsing: bytes.span, valueLimit: JSONSchema.valueLimit),
      value.objectValue != nil
    else { throw CommandLineError(tr("The schema \(path) is no JSON object, or has too many values.")) }
    text = value.json
    do {
      schema = try JSONSchema(value)
    } catch {
      throw CommandLineError(tr("The schema \(path) cannot be used: \(error.description)."))
    }
  }
}
