// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A question with variables, from a file.
///
/// The file is a text in UTF-8. It may begin with a key file that has the group `[Template]`, and ends at a line `---`.
package struct Template {
  /// What an action does with the selected text, once its answer is complete.
  package enum Replacement: String {
    /// Nothing: the answer is read.
    case never
    /// The user may replace the text by the answer that was shown.
    case offer
    /// The answer replaces the text.
    case atOnce = "at-once"
  }

  /// The variable that stands for the question of the command line, or for the selected text.
  package static let input = "input"
  /// The longest file, in bytes.
  private static let limit = 1 << 20
  /// The longest question, and the longest instructions, with the values of variables in them, in bytes.
  private static let filledLimit = 4 << 20
  /// The longest action without the selected text, in bytes. A surface lists many.
  private static let actionLimit = 64 << 10
  /// How often the selected text may be in an action.
  private static let placeLimit = 16
  private static let group = "Template"
  private static let keys = ["Title", "Description", "Instructions", "Model", "Effort", "Surfaces", "Replace"]
  private static let defaultsGroup = "Variables"

  package let name: String
  /// A few words for menus; the name if the file has none.
  package let title: String
  /// One line for people; nil if the file has none.
  package let description: String?
  package let instructions: String?
  package let model: String?
  package let effort: String?
  /// Whether it shows as an action for the selected text.
  package let isAction: Bool
  package let replacement: Replacement
  /// The question of an action in pieces, at least two: the selected text goes between each two. Empty for others.
  package private(set) var pieces: [String] = []
  /// The instructions of an action.
  package private(set) var filledInstructions: String?
  private let text: TemplateText
  /// The values of variables that the command line does not give.
  private let defaults: [String: String]

  /// Reads a template.
  ///
  /// - Throws: ``CommandLineError`` if the file cannot be read, or has a head that is no such key file.
  package init(_ name: String, at path: String) throws {
    self.name = name
    let bytes: [UInt8]
    var text: String
    do throws(FileError) {
      bytes = try Files.read(path, limit: Self.limit)
      guard let valid = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
        throw .failed(tr("it is no UTF-8 text"))
      }
      text = valid
    } catch {
      throw Self.wrong(path, "\(error)")
    }
    // As some editors of other systems write it.
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    text.replace("\r\n", with: "\n")
    let head = try Self.cutHead(from: &text, of: path)
    let title = head?.localized(Self.group, "Title")?.visibleName() ?? ""
    self.title = title.isEmpty ? name : title
    description = head?.localized(Self.group, "Description")?.visibleName(limit: 200)
    instructions = head?.string(Self.group, "Instructions")
    model = head?.string(Self.group, "Model")
    effort = head?.string(Self.group, "Effort")
    let surfaces = head?.strings(Self.group, "Surfaces") ?? []
    if let other = surfaces.first(where: { $0 != "selection" }) {
      throw Self.wrong(path, tr("Surfaces= is selection, not \(other)"))
    }
    isAction = !surfaces.isEmpty
    let word = head?.string(Self.group, "Replace") ?? Replacement.never.rawValue
    guard let replacement = Replacement(rawValue: word) else {
      throw Self.wrong(path, tr("Replace= is never, offer or at-once, not \(word)"))
    }
    self.replacement = replacement
    defaults = (head?.baseKeys(of: Self.defaultsGroup) ?? []).reduce(into: [:]) {
      $0[$1] = head?.localized(Self.defaultsGroup, $1)
    }
    // A template of keys alone changes how a question is asked.
    let end = text.lastIndex { !$0.isNewline }.map(text.index(after:)) ?? text.startIndex
    let body = String(text[..<end])
    self.text = TemplateText(body.isEmpty ? "$\(Self.input)" : body)
    if isAction { try fillAction(path) }
  }

  /// A surface has no values for variables. The selected text is data, and never an instruction.
  private mutating func fillAction(_ path: String) throws {
    if TemplateText(instructions ?? "").variables.contains(Self.input) {
      throw Self.wrong(path, tr("the instructions of an action cannot have $input"))
    }
    if let missing = variables.first(where: { $0 != Self.input && defaults[$0] == nil }) {
      throw Self.wrong(path, tr("an action needs a value of $\(missing) in [Variables]"))
    }
    let limit = Self.actionLimit
    guard let pieces = text.pieces(around: Self.input, defaults, limit: limit),
      let instructions = TemplateText(instructions ?? "").filled(defaults, limit: limit),
      case let parts = pieces + [instructions, model ?? "", effort ?? ""],
      parts.reduce(0, { $0 + $1.utf8.count }) <= limit
    else {
      throw Self.wrong(path, tr("an action is longer than \(limit >> 10) KiB"))
    }
    guard pieces.count <= Self.placeLimit + 1 else {
      throw Self.wrong(path, tr("an action has $input more than \(Self.placeLimit) times"))
    }
    self.pieces = pieces.count > 1 ? pieces : [pieces[0] + "\n\n", ""]
    filledInstructions = self.instructions.map { _ in instructions }
  }

  /// The key file at the beginning of `text`, which is removed from it; nil if there is none.
  private static func cutHead(from text: inout String, of path: String) throws -> KeyFile? {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first == "[\(group)]" else { return nil }
    guard let end = lines.firstIndex(of: "---") else { throw wrong(path, tr("its keys do not end at a line ---")) }
    let head: KeyFile
    do {
      head = try KeyFile(Array(lines[..<end].joined(separator: "\n").utf8))
    } catch {
      throw wrong(path, (error as? GLibError)?.message ?? "\(error)")
    }
    for other in head.groupNames where ![group, defaultsGroup].contains(other) {
      throw wrong(path, tr("its groups are [Template] and [Variables], not [\(other)]"))
    }
    for key in head.baseKeys(of: group) {
      guard keys.contains(key), head.localized(group, key) != nil else {
        throw wrong(path, tr("it has a key \(key)= that cannot be read"))
      }
    }
    for key in head.baseKeys(of: defaultsGroup) {
      guard isVariable(key), key != input, head.localized(defaultsGroup, key) != nil else {
        throw wrong(path, tr("it has a variable \(key)= that cannot be read"))
      }
    }
    lines.removeSubrange(...end)
    text = lines.joined(separator: "\n")
    return head
  }

  private static func wrong(_ path: String, _ problem: String) -> CommandLineError {
    CommandLineError(tr("The template \(path) cannot be used: \(problem)."))
  }

  // MARK: Variables

  /// Whether a word can be the name of a variable: letters, digits and `_` of ASCII, and no digit first.
  package static func isVariable(_ name: some StringProtocol) -> Bool {
    name.first?.isNumber == false && name.allSatisfy(isInVariable)
  }

  static func isInVariable(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || character == "_")
  }

  /// The names of the variables that the text and the instructions have, in order of the alphabet.
  package var variables: [String] {
    Set(text.variables + TemplateText(instructions ?? "").variables).sorted()
  }

  /// Whether the question of the command line has a place in the text.
  package var hasInput: Bool { variables.contains(Self.input) }

  /// Fills the variables in.
  ///
  /// - Parameter input: the question of the command line, which follows the text if it has no place in it.
  /// - Returns: the question, and the instructions if there are any.
  /// - Throws: ``CommandLineError`` for a variable without a value, and for a value without a variable.
  package func filled(
    _ values: [String: String], input: String
  ) throws -> (question: String, instructions: String?) {
    if let surplus = values.keys.sorted().first(where: { !variables.contains($0) }) {
      throw CommandLineError(tr("The template “\(name)” has no variable $\(surplus)."))
    }
    let all = defaults.merging(values) { $1 }.merging([Self.input: input]) { $1 }
    if let missing = variables.first(where: { all[$0] == nil }) {
      throw CommandLineError(tr("The template “\(name)” needs a value: give -p \(missing)=VALUE."))
    }
    let limit = Self.filledLimit
    guard let question = text.filled(all, limit: limit),
      let filledInstructions = TemplateText(instructions ?? "").filled(all, limit: limit)
    else {
      throw CommandLineError(tr("The question is longer than \(limit >> 20) MiB: send less."))
    }
    return (
      hasInput || input.isEmpty ? question : question + "\n\n" + input, instructions.map { _ in filledInstructions }
    )
  }
}

extension KeyFile {
  /// The keys of a group without the language of a translated value, sorted.
  fileprivate func baseKeys(of group: String) -> [String] {
    Set(keys(of: group).map { String($0.prefix { $0 != "[" }) }).sorted()
  }
}
