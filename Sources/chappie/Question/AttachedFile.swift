// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A text file that comes with a question, under its name.
struct AttachedFile {
  /// The argument that means standard input.
  static let input = "-"

  private let name: String
  private let text: String

  /// - Parameters:
  ///   - argument: the path of a file, or ``input``.
  ///   - image: what takes images.
  /// - Throws: ``CommandLineError`` if it is no file, longer than `limit` bytes, or no text.
  init(_ argument: String, limit: Int, image: String = "--image") throws {
    let bytes: [UInt8]
    if argument == Self.input {
      name = "standard input"
      guard let read = AskInput.readAll(limit: limit) else { throw Self.tooLong(tr("Standard input"), limit) }
      bytes = read
    } else {
      name = argument.terminalSafeLine
      bytes = try Self.read(argument, limit: limit)
    }
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
      let shown = argument == Self.input ? tr("Standard input") : argument
      throw CommandLineError(
        ChappieImage(bytes: bytes) == nil
          ? tr("\(shown) is no UTF-8 text: convert it first.") : tr("\(shown) is an image: give it with \(image)."))
    }
    self.text = text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
  }

  /// The content of a regular file.
  ///
  /// - Throws: ``CommandLineError``.
  static func read(_ path: String, limit: Int) throws -> [UInt8] {
    switch FileKind(path) {
    case .directory: throw CommandLineError(tr("\(path) is a directory: name a file in it."))
    case .sink, .other: throw CommandLineError(tr("\(path) is no regular file: pipe it in, and give -."))
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

  /// The name and the size, for a person.
  var label: String { "\(name) (\(ByteCount(bytes: UInt64(text.utf8.count)).text))" }

  /// The file as a part of a question: its name, and its text between fences.
  var markdown: String {
    let fence = Markdown.fence(around: text)
    return "File: \(name)\n\(fence)\n\(text)\(text.isEmpty || text.hasSuffix("\n") ? "" : "\n")\(fence)"
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
    let bytes = try AttachedFile.read(path, limit: JSONSchema.textLimit)
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
