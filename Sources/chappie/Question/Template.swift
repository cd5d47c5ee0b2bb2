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
    name.utf8.first.map { !($0 >= 48 && $0 <= 57) } == true && name.utf8.allSatisfy(TemplateText.isName)
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
  private enum Part {
    case text(Substring)
    case variable(String)
  }

  private let parts: [Part]

  init(_ text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      parts.append(.text(rest[..<dollar]))
      rest = rest[dollar...].dropFirst()
      if rest.hasPrefix("$") {
        parts.append(.text("$"))
        rest = rest.dropFirst()
      } else if let (name, after) = Self.name(in: rest) {
        parts.append(.variable(name))
        rest = after
      } else {
        parts.append(.text("$"))
      }
    }
    self.parts = parts + [.text(rest)]
  }

  /// The name at the beginning of `text`, and what follows it.
  private static func name(in text: Substring) -> (String, Substring)? {
    let isBraced = text.hasPrefix("{")
    let name = text.dropFirst(isBraced ? 1 : 0).prefix { $0.utf8.allSatisfy(isName) }
    let after = text[name.endIndex...]
    guard Template.isVariable(String(name)), !isBraced || after.hasPrefix("}") else { return nil }
    return (String(name), isBraced ? after.dropFirst() : after)
  }

  /// Whether a byte may be part of a name.
  static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The names of the variables, in order.
  var variables: [String] {
    parts.compactMap { if case .variable(let name) = $0 { name } else { nil } }
  }

  /// The text with `values` in place of the variables. A value is never searched for variables.
  func filled(_ values: [String: String]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): String(text)
      case .variable(let name): values[name] ?? ""
      }
    }.joined()
  }
}
