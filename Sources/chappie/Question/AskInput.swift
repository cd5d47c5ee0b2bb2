// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import Templates

/// The question of `chappie ask`, from the command line and from standard input.
///
/// Standard input is read only if the command line says so: a loop of the calling script may read from it.
/// A question without a verb takes what is piped in.
struct AskInput {
  /// The longest text that the service accepts, in bytes.
  static let textLimit = 4 << 20
  private static let shortTextLimit = 64 << 10
  private static let input = AttachedFile.input

  let question: Question
  /// The instructions of the template; nil if it has none.
  let instructions: String?

  /// - Parameters:
  ///   - takesPipe: whether a pipe or a file on standard input belongs to the question.
  ///   - template: nil for none.
  ///   - values: the values of the template's variables.
  /// - Throws: ``CommandLineError`` if there is nothing to ask, if a file or standard input does not fit, or if a variable
  ///   has no value.
  init(
    words: [String], takesPipe: Bool, files: [String], images: [String], template: Template?, values: [String: String]
  ) throws {
    // A template without a place for a question needs none.
    let needsQuestion = template?.hasInput ?? true
    let isInputTaken = (files + images).contains(Self.input)
    let given = (words + files + images).count { $0 == Self.input }
    guard given <= 1 else { throw CommandLineError(tr("Standard input can be given once: give - once.")) }
    var words = words
    if takesPipe {
      guard !words.contains(where: \.trimmed.isEmpty) else {
        throw CommandLineError(tr("The text has an empty argument: leave it out, or ask with chappie ask."))
      }
      if given == 0, StandardInput.isPipeOrFile { words.append(Self.input) }
    }
    let images = try images.map { $0 == Self.input ? try Self.readImage() : Self.address($0) }
    let attached = try files.map { try AttachedFile($0, textLimit: Self.textLimit) }
    let texts = attached.compactMap(\.markdown)
    guard template != nil || texts.count == attached.count || !words.isEmpty || !StandardInput.isTerminal else {
      throw CommandLineError(tr("There is no question about the document: give one."))
    }
    let asked = try Self.text(
      words, mayReadInput: needsQuestion && !isInputTaken, mayBeEmpty: !needsQuestion || !texts.isEmpty)
    let filled = try template?.filled(values, input: asked)
    instructions = filled?.instructions
    let text = ([filled?.question ?? asked] + texts).filter { !$0.isEmpty }.joined(separator: "\n\n")
    guard text.utf8.count <= Self.textLimit else {
      throw CommandLineError(tr("The question is longer than \(Self.textLimit >> 20) MiB: send less."))
    }
    question = Question(text: text, images: images, files: attached.compactMap(\.address))
  }

  private static func text(_ words: [String], mayReadInput: Bool, mayBeEmpty: Bool) throws -> String {
    let asksInput = words.contains(input) || words.isEmpty && mayReadInput && !StandardInput.isTerminal
    let parts = words.split(separator: input, omittingEmptySubsequences: false).map { $0.joined(separator: " ") }
    // Without a dash there is one part. It is empty if there are no words.
    let read = asksInput ? try readText() : ""
    let text = [parts.first ?? "", read, parts.count > 1 ? parts[1] : ""].filter { !$0.isEmpty }
    guard !text.isEmpty || mayBeEmpty else {
      throw CommandLineError(
        asksInput
          ? tr("There is nothing to ask: standard input is empty.")
          : tr("There is nothing to ask: give a text, or - for standard input."))
    }
    return text.joined(separator: "\n\n")
  }

  private static func readText() throws -> String {
    guard let bytes = try readAll(limit: textLimit) else {
      throw CommandLineError(tr("Standard input is longer than \(textLimit >> 20) MiB: send less."))
    }
    guard ChappieInputFile.Kind(bytes, "") != .pdf else {
      throw CommandLineError(tr("Standard input is a PDF: give it with -f -."))
    }
    return String(decoding: bytes, as: UTF8.self).trimmingEnd(while: \.isNewline)
  }

  /// Standard input to its end, as ``StandardInput/readAll(limit:)``. Says that it waits if nothing comes.
  ///
  /// - Throws: ``CommandLineError`` if it cannot be read to its end.
  static func readAll(limit: Int) throws -> [UInt8]? {
    if !StandardInput.isReady(within: .seconds(1)) { StandardStream.error.line(tr("Reading standard input…")) }
    do {
      return try StandardInput.readAll(limit: limit)
    } catch {
      throw CommandLineError(tr("Standard input cannot be read: \(error.description)."))
    }
  }

  /// A text of at most 64 KiB that is sent as it is.
  ///
  /// - Parameter given: the text; nil reads standard input.
  /// - Throws: ``CommandLineError``.
  static func shortText(_ given: String? = nil) throws -> String {
    guard let bytes = try given.map({ Array($0.utf8) }) ?? readAll(limit: shortTextLimit), bytes.count <= shortTextLimit
    else { throw CommandLineError(tr("The text is longer than \(shortTextLimit >> 10) KiB: send less.")) }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw CommandLineError(tr("Standard input is no UTF-8 text."))
    }
    return text
  }

  /// An address as given, or the absolute path of a file: the service has another working directory.
  static func address(_ name: String) -> String {
    name.contains(":") && !name.hasPrefix("/") ? name : Directories.absolutePath(name)
  }

  private static func readImage() throws -> String {
    guard let bytes = try readAll(limit: ChappieImage.fileLimit) else {
      throw CommandLineError(tr("The image on standard input is larger than \(ChappieImage.fileLimit >> 20) MiB."))
    }
    guard let image = ChappieImage(bytes: bytes) else {
      throw CommandLineError(tr("Standard input holds no PNG, JPEG, GIF or WebP image."))
    }
    return image.url
  }
}

extension Template {
  /// The options of a message, with what the command line leaves to the template. The template's instructions come before
  /// those of the command line.
  ///
  /// - Parameter instructions: with their variables filled in.
  func options(_ given: VariantDictionary = [:], instructions: String?) throws -> VariantDictionary {
    var options = given
    options.set("model", try given.value("model") ?? model)
    options.set("reasoning_effort", try given.value("reasoning_effort") ?? effort)
    let all = [instructions, try given.value("instructions")].compactMap(\.self)
    options.set("instructions", all.isEmpty ? nil : all.joined(separator: "\n\n"))
    return options
  }
}

extension Verb {
  /// The option `--parameter`, which every verb with a template has.
  static var templateValues: VerbOption<[(String, String)]> {
    assignments("parameter", short: "p", tr("The value of a variable of the template"), isKey: Template.isVariable)
  }

  /// An option whose values are KEY=VALUE.
  static func assignments(
    _ name: String, short: Character? = nil, _ help: @autoclosure @escaping @Sendable () -> String,
    isKey: @escaping @Sendable (Substring) -> Bool = { _ in true }
  ) -> VerbOption<[(String, String)]> {
    options(name, short: short, placeholder: tr("KEY=VALUE"), help()) { text in
      guard let sign = text.firstIndex(of: "="), isKey(text[..<sign]) else {
        throw CommandLineError(tr("“\(text)” is not KEY=VALUE"))
      }
      return (String(text[..<sign]), String(text[sign...].dropFirst()))
    }
  }
}
