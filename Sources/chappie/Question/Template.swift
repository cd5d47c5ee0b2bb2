// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A question with variables, from a file.
///
/// The file is a text in UTF-8. It may begin with a key file that has the group `[Template]`, and ends at a line `---`.
struct Template {
  /// The variable that stands for the question of the command line.
  static let input = "input"
  /// The longest file, in bytes.
  private static let limit = 1 << 20
  private static let group = "Template"
  private static let defaultsGroup = "Variables"

  let name: String
  /// One line for people; nil if the file has none.
  let description: String?
  let instructions: String?
  let model: String?
  let effort: String?
  private let text: String
  /// The values of variables that the command line does not give.
  private let defaults: [String: String]

  /// Reads a template.
  ///
  /// - Throws: ``CommandLineError`` if the file cannot be read, or has a head that is no such key file.
  init(_ name: String, at path: String) throws {
    self.name = name
    var text: String
    do throws(FileError) {
      let bytes = try Files.read(path, limit: Self.limit)
      guard let valid = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
        throw .failed(tr("it is no UTF-8 text"))
      }
      text = valid
    } catch {
      throw Self.wrong(path, "\(error)")
    }
    let head = try Self.cutHead(from: &text, of: path)
    description = head?.string(Self.group, "Description")
    instructions = head?.string(Self.group, "Instructions")
    model = head?.string(Self.group, "Model")
    effort = head?.string(Self.group, "Effort")
    defaults = (head?.keys(of: Self.defaultsGroup) ?? []).reduce(into: [:]) {
      $0[$1] = head?.string(Self.defaultsGroup, $1)
    }
    // A template of keys alone changes how a question is asked.
    let body = text.trimmingEnd(while: \.isNewline)
    self.text = body.isEmpty ? "$\(Self.input)" : body
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
    for key in head.keys(of: group) {
      guard ["Description", "Instructions", "Model", "Effort"].contains(key), head.string(group, key) != nil else {
        throw wrong(path, tr("it has a key \(key)= that cannot be read"))
      }
    }
    for key in head.keys(of: defaultsGroup) {
      guard isVariable(key), key != input, head.string(defaultsGroup, key) != nil else {
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
  static func isVariable(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
  }

  /// The names of the variables that the text and the instructions have, in order of the alphabet.
  var variables: [String] {
    Set(TemplateText(text).variables + TemplateText(instructions ?? "").variables).sorted()
  }

  /// Whether the question of the command line has a place in the text.
  var hasInput: Bool { variables.contains(Self.input) }

  /// Fills the variables in.
  ///
  /// - Parameter input: the question of the command line, which follows the text if it has no place in it.
  /// - Returns: the question, and the instructions if there are any.
  /// - Throws: ``CommandLineError`` for a variable without a value, and for a value without a variable.
  func filled(_ values: [String: String], input: String) throws -> (question: String, instructions: String?) {
    if let surplus = values.keys.sorted().first(where: { !variables.contains($0) }) {
      throw CommandLineError(tr("The template “\(name)” has no variable $\(surplus)."))
    }
    let all = defaults.merging(values) { $1 }.merging([Self.input: input]) { $1 }
    if let missing = variables.first(where: { all[$0] == nil }) {
      throw CommandLineError(tr("The template “\(name)” needs a value: give -p \(missing)=VALUE."))
    }
    let question = TemplateText(text).filled(all)
    return (
      hasInput || input.isEmpty ? question : question + "\n\n" + input,
      instructions.map { TemplateText($0).filled(all) }
    )
  }

  /// Adds what the command line leaves to the template. Its instructions come before those of the command line.
  ///
  /// - Parameter instructions: with their variables filled in.
  func complete(_ options: inout VariantDictionary, instructions: String?) throws {
    options.set("model", try options.value("model") ?? model)
    options.set("reasoning_effort", try options.value("reasoning_effort") ?? effort)
    let all = [instructions, try options.value("instructions")].compactMap(\.self)
    options.set("instructions", all.isEmpty ? nil : all.joined(separator: "\n\n"))
  }
}

/// A text with variables: `$name` or `${name}`. `$$` is a dollar sign, and so is every other `$`.
struct TemplateText {
  private static var place: Regex<(Substring, Substring?, Substring?)> {
    /\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/
  }

  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// The names of the variables, in order.
  var variables: [String] { text.matches(of: Self.place).compactMap { ($0.1 ?? $0.2).map(String.init) } }

  /// The text with `values` in place of the variables. A value is never searched for variables.
  func filled(_ values: [String: String]) -> String {
    text.replacing(Self.place) { match in (match.1 ?? match.2).map { values[String($0)] ?? "" } ?? "$" }
  }
}

/// The templates of the user and of the system: `chappie/templates/NAME.txt` in the directories of configurations.
enum TemplateDirectory {
  private static let suffix = ".txt"

  /// In order of precedence.
  private static var directories: [String] {
    ([Directories.configuration] + Directories.systemConfiguration).map { $0 + "/chappie/templates" }
  }

  /// Whether a word can be the name of a template: up to 64 letters, digits, `.`, `_` and `-` of ASCII, and no `.` first.
  private static func isName(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}/) != nil
  }

  /// Reads the template with a name.
  ///
  /// - Throws: ``CommandLineError`` if there is none, or if it cannot be used.
  static func template(_ name: String) throws -> Template {
    guard isName(name) else {
      throw CommandLineError(tr("“\(name)” is no name of a template: use letters, digits, ., _ and -."))
    }
    for directory in directories {
      let path = "\(directory)/\(name)\(suffix)"
      if Files.exists(path) { return try Template(name, at: path) }
    }
    throw CommandLineError(tr("There is no template “\(name)”: chappie templates lists them."))
  }

  /// The names and paths of all templates, in order of the alphabet.
  ///
  /// - Throws: ``FileError`` if a directory cannot be read.
  static func all() throws(FileError) -> [(name: String, path: String)] {
    var paths: [String: String] = [:]
    for directory in directories {
      for file in try Files.names(in: directory) where file.hasSuffix(suffix) {
        let name = String(file.dropLast(suffix.count))
        if isName(name), paths[name] == nil { paths[name] = "\(directory)/\(file)" }
      }
    }
    return paths.sorted { $0.key < $1.key }.map { (name: $0.key, path: $0.value) }
  }

  /// Where the user's templates belong.
  static var place: String { directories[0] }
}
