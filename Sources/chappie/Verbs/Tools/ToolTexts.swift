// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge
import Platform

/// Servers and their tools, for a person. What a server says is shown without characters that a terminal acts on.
enum ToolTexts {
  // MARK: Servers

  /// The command of a server, its variables, and what its sandbox contains.
  static func rights(of configuration: ChappieMCPConfiguration) -> String {
    var table = Table()
    table.append("  " + tr("Command:"), command(configuration.command))
    for (name, value) in configuration.environment.sorted(by: { $0.key < $1.key }) {
      table.append("  " + tr("Variable:"), "\(name)=\(shown(value, of: name))")
    }
    if let directory = configuration.directory { table.append("  " + tr("Works in:"), word(directory)) }
    switch configuration.box {
    case .unboxed: table.append("  " + tr("Sandbox:"), tr("none, it can do everything that you can"))
    case .boxed(let network, let directories):
      table.append("  " + tr("Network:"), network ? tr("yes") : tr("no"))
      for directory in directories {
        let path = word(directory.path)
        table.append(
          "  " + tr("Files:"), directory.isWritable ? tr("\(path), to read and write") : tr("\(path), to read"))
      }
      if directories.isEmpty { table.append("  " + tr("Files:"), tr("none of yours")) }
    }
    return table.text
  }

  /// A command, in which each argument can be told from the next one.
  static func command(_ words: [String]) -> String { words.map(word).joined(separator: " ") }

  /// An argument. It stands in quotes, with escapes for what nobody sees, unless it has only letters, digits and a few
  /// signs.
  private static func word(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_-./:=@%+,{}$~".unicodeScalars.contains(scalar))
      }
    return isPlain ? text : LegibleJSON(ChappieJSONValue.string(text).json).text
  }

  /// The value of a variable, but no text that may be a secret.
  private static func shown(_ value: String, of name: String) -> String {
    let isSecret = ["KEY", "TOKEN", "SECRET", "PASSW", "AUTH", "CREDENTIAL"].contains { name.uppercased().contains($0) }
    guard isSecret, !isReference(value) else { return word(value) }
    return tr("(hidden: better a secret of the keyring)")
  }

  /// Whether a text only names variables and secrets.
  private static func isReference(_ text: String) -> Bool {
    guard let parts = try? Variables.parts(of: text) else { return false }
    return parts.allSatisfy { part in
      switch part {
      case .text: false
      case .variable(_, let fallback): fallback?.isEmpty ?? true
      case .secret: true
      }
    }
  }

  // MARK: Tools

  /// The columns of a description in the table.
  private static let lineWidth = 100

  /// A line for each tool of a server. Below are the texts that the model gets and that do not fit into a line.
  static func tools(of listing: MCPListing) -> String {
    guard !listing.tools.isEmpty else { return tr("It has no tools.") + "\n" }
    let count = listing.tools.count
    var table = Table(tr("TOOL"), tr("SAYS OF ITSELF"), tr("DESCRIPTION"))
    var texts = ""
    for tool in listing.tools {
      let description = tool.description.terminalSafeLine
      table.append(
        tool.name.terminalSafeLine, annotations(tool.annotations), description.shortened(to: lineWidth))
      if description.columns > lineWidth { texts += paragraph(tool.name.terminalSafeLine, tool.description) }
      texts += parameters(of: tool)
    }
    if let instructions = listing.instructions { texts += paragraph(tr("Instructions of the server:"), instructions) }
    return tr(count, one: "It has \(count) tool:", other: "It has \(count) tools:") + "\n" + table.text + texts
  }

  /// What a tool says of its parameters, which the model gets too.
  private static func parameters(of tool: MCPTool) -> String {
    let properties = tool.inputSchema["properties"] ?? [:]
    let lines = IndentedJSON.leaves(of: properties).filter { !$0.hasPrefix("{}") }
    guard !lines.isEmpty else { return "" }
    let title = tr("Parameters of \(tool.name.terminalSafeLine):")
    return "\n\(title)\n" + lines.map { "  \($0.terminalSafeCell)\n" }.joined()
  }

  /// A text of a server below a title.
  static func paragraph(_ title: String, _ text: String) -> String {
    "\n\(title)\n" + lines(of: .string(text)).map { "  \($0.terminalSafeCell)\n" }.joined()
  }

  static func annotations(_ annotations: MCPTool.Annotations) -> String {
    var words: [String] = []
    if annotations.isReadOnly == true { words.append(tr("only reads")) }
    if annotations.isReadOnly == false { words.append(tr("changes something")) }
    if annotations.isDestructive == true { words.append(tr("may destroy")) }
    if annotations.isOpenWorld == true { words.append(tr("reaches other systems")) }
    return words.isEmpty ? "-" : words.joined(separator: ", ")
  }

  // MARK: Changes

  /// The lines of a change of what a server says. Lines that are gone begin with `-`, new ones with `+`.
  static func lines(of change: ToolApproval.Change) -> [String] {
    switch change {
    case .added(let tool):
      [tr("New tool \(tool.name.terminalSafeLine):")] + difference([], lines(of: tool.pinned))
    case .removed(let name): [tr("The tool \(name.terminalSafeLine) is gone.")]
    case .changed(let tool, let field, let old, let new):
      ["\(tool.terminalSafeLine), \(field.terminalSafeLine):"] + difference(lines(of: old), lines(of: new))
    case .instructions(let old, let new):
      [tr("Instructions of the server:")]
        + difference(lines(of: old.map { .string($0) }), lines(of: new.map { .string($0) }))
    case .program(let old, let new): [tr("The program of the server:")] + difference([word(old)], [word(new)])
    }
  }

  /// A text by its lines, and another value by its parts.
  static func lines(of value: ChappieJSONValue?) -> [String] {
    switch value {
    case nil: []
    case .string(let text)?: text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    case let value?: IndentedJSON.leaves(of: value)
    }
  }

  private static func difference(_ old: [String], _ new: [String]) -> [String] {
    // The cost grows with the product of the lengths.
    let changes = old.count + new.count > 2000 ? [] : Array(new.difference(from: old))
    guard !changes.isEmpty else {
      return old.map { "  - \($0.terminalSafeCell)" } + new.map { "  + \($0.terminalSafeCell)" }
    }
    return changes.map { change in
      switch change {
      case .remove(_, let line, _): "  - \(line.terminalSafeCell)"
      case .insert(_, let line, _): "  + \(line.terminalSafeCell)"
      }
    }
  }
}
