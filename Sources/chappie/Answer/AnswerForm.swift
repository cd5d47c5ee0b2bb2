// SPDX-License-Identifier: Apache-2.0
import AnswerRendering
import ChappieSDK
import GLibBridge
import Platform

/// What of an answer is wanted, and in which form.
enum AnswerForm {
  case whole
  /// The text of its last code block.
  case codeBlock
  /// The whole answer, which is JSON of this schema.
  case json(JSONSchema)
  /// The last code block, or the whole answer if it has none, as the line at a shell's prompt.
  case command
  /// The whole answer in place of a text, with the line breaks that the text ends with.
  case replacement(String)

  /// The wanted part.
  ///
  /// - Throws: ``CommandFailure`` with ``ExitStatus/unfit`` if the answer has none.
  func part(of answer: String) throws(CommandFailure) -> String {
    switch self {
    case .whole: return answer
    case .codeBlock:
      guard let code = Self.lastCode(MarkdownDocument(Array(answer.utf8)).blocks) else {
        throw CommandFailure(.unfit, tr("The answer has no code block."))
      }
      return code
    case .json(let schema):
      guard let value = try? ChappieJSONValue(parsing: answer.utf8.span) else {
        throw CommandFailure(.unfit, tr("The answer is no JSON."))
      }
      if let violation = schema.violation(in: value) {
        throw CommandFailure(.unfit, tr("The answer does not fit the schema: \(violation)."))
      }
      return answer
    case .command: return try Self.command(Self.lastCode(MarkdownDocument(Array(answer.utf8)).blocks) ?? answer)
    case .replacement(let text):
      guard !answer.trimmed.isEmpty else { throw CommandFailure(.unfit, tr("The answer is empty.")) }
      return answer.trimmingEnd(while: \.isNewline) + text.reversed().prefix(while: \.isNewline).reversed()
    }
  }

  /// A command as a person sees it: without a character that would be hidden, or act on the terminal or the shell.
  private static func command(_ text: String) throws(CommandFailure) -> String {
    var command = text.replacing("\r\n", with: "\n").trimmed
    // A command in quotes of code would be run for its output.
    if command.hasPrefix("`"), command.hasSuffix("`"), command.count(where: { $0 == "`" }) == 2 {
      command = String(command.dropFirst().dropLast()).trimmed
    }
    guard !command.isEmpty else { throw CommandFailure(.unfit, tr("The answer has no command.")) }
    guard command.unicodeScalars.allSatisfy({ $0.isSeen || [" ", "\n", "\t"].contains($0) }) else {
      throw CommandFailure(.unfit, tr("The answer has hidden characters, so it is no command."))
    }
    return command
  }

  private static func lastCode(_ nodes: [MarkdownNode]) -> String? {
    for node in nodes.reversed() {
      if case .code(_, isFenced: true) = node.kind { return node.text }
      if let code = lastCode(node.children) { return code }
    }
    return nil
  }
}

/// Where an answer goes, and in which form.
struct AnswerOutput {
  var form = AnswerForm.whole
  /// Prints one JSON object at the end, and nothing before.
  var json = false
  /// Prints the answer as it is, on a terminal too.
  var raw = false
  /// A file that keeps the answer, beside standard output.
  var file: OutputFile?

  /// Whether the whole answer is wanted. A part of it is known only at its end.
  var isWhole: Bool {
    if case .whole = form { true } else { false }
  }

  /// Whether standard output gets the answer without a line break at its end.
  var isExact: Bool {
    if case .replacement = form { true } else { false }
  }
}

/// A file that the user named for output.
struct OutputFile {
  let path: String
  /// Whether an existing file is replaced.
  let replaces: Bool

  /// Checks that the file can be written, before any request.
  ///
  /// - Throws: ``CommandFailure`` if the file exists, is no file, or has no directory.
  func check() throws(CommandFailure) {
    switch FileKind(path) {
    case .sink: break
    case .nothing: guard FileKind(directory) == .directory else { throw withoutDirectory }
    // The file behind it would be replaced, with what other programs write into it.
    case .regular where isDescriptor: throw isNoFile
    case .regular, .brokenLink:
      guard !replaces else { return }
      throw CommandFailure(
        .failed,
        FileKind(path) == .regular
          ? tr("\(path) exists already: give --force to replace it.")
          : tr("\(path) is a broken link: give --force to replace it."))
    case .directory: throw CommandFailure(.failed, tr("\(path) is a directory: name a file in it."))
    case .other: throw isNoFile
    }
  }

  /// Writes the whole file.
  ///
  /// - Throws: ``CommandFailure``.
  func write(_ text: String) throws(CommandFailure) {
    try check()
    let bytes = Array(text.utf8)
    do {
      if FileKind(path) == .sink {
        try Files.write(bytes, into: path)
      } else {
        try Files.create(bytes, at: path, replaces: replaces)
      }
    } catch .missing {
      throw withoutDirectory
    } catch {
      throw CommandFailure(.failed, tr("\(path) cannot be written: \(error)."))
    }
  }

  private var directory: String { Directories.absolutePath(path + "/..") }

  private var isDescriptor: Bool {
    ["/dev/fd/", "/dev/std", "/proc/"].contains(where: Directories.absolutePath(path).hasPrefix)
  }

  var isNoFile: CommandFailure {
    CommandFailure(.failed, tr("\(path) is a socket or a device: name a file."))
  }

  private var withoutDirectory: CommandFailure {
    CommandFailure(.failed, tr("\(path) cannot be written: its directory does not exist, make it first."))
  }
}
