// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie ask`: asks the model once.
struct Ask: Verb {
  static let name = "ask"
  static let summary = tr("Ask, and print the answer as it comes")
  static let details = tr(
    """
    A - in the text, or as the file or the image, stands for standard input. Without a text, standard input is the text \
    if it is no terminal. Ctrl-C cancels the question.
    """)

  private enum Place {
    /// None.
    case nowhere
    /// The conversation of the earlier `ask --continue`.
    case continued
    case thread(String)
  }

  let account: String?
  let question: Question
  let options: VariantDictionary
  /// The conversation that the question and the answer become a part of.
  private let place: Place
  var json: Bool { output.json }
  private let output: AnswerOutput

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let continues = parser.flag("continue", short: "c", tr("Continue the conversation of the last --continue"))
    let thread = parser.thread()
    let json = parser.flag("json", tr("Print one JSON object when the answer is complete"))
    let raw = parser.raw()
    let answering = MessageOptions(parser)
    let template = parser.string("template", short: "t", placeholder: tr("NAME"), tr("Ask what this template says"))
    let values = parser.option(
      "parameter", short: "p", placeholder: tr("KEY=VALUE"), tr("The value of a variable of the template"),
      read: Self.value)
    let files = parser.string(
      "file", short: "f", placeholder: tr("FILE"), tr("Send this text file too, - for standard input; may be repeated"))
    let images = parser.string(
      "image", placeholder: tr("FILE"), tr("Send this image: a file, - or an https: address; may be repeated"))
    let code = parser.flag("extract", short: "x", tr("Print the last code block of the answer alone"))
    let schema = parser.option(
      "schema", placeholder: tr("FILE"), tr("Answer with JSON of the JSON Schema in this file, and check it"),
      read: SchemaFile.init)
    let output = parser.string("output", short: "o", placeholder: tr("FILE"), tr("Write the answer to this file, too"))
    parser.acceptRemaining(placeholder: tr("TEXT…"))
    return { arguments in
      guard arguments[thread] == nil || !arguments[continues] else {
        throw CommandLineError(tr("--thread and --continue exclude each other."))
      }
      guard arguments[schema] == nil || !arguments[code] else {
        throw CommandLineError(tr("--schema and --extract exclude each other."))
      }
      let template = try arguments[template].map(TemplateDirectory.template)
      guard template != nil || arguments.all(values).isEmpty else {
        throw CommandLineError(tr("--parameter needs a template: give --template."))
      }
      let input = try AskInput(
        words: arguments.remaining, files: arguments.all(files), images: arguments.all(images), template: template,
        values: Dictionary(arguments.all(values)) { $1 })
      var options = answering.dictionary(arguments)
      try template?.complete(&options, instructions: input.instructions)
      options.set("output_schema", arguments[schema]?.text)
      options.set("continue", arguments[continues] ? true : nil)
      return Ask(
        account: arguments[account], question: input.question, options: options,
        place: arguments[thread].map { .thread($0) } ?? (arguments[continues] ? .continued : .nowhere),
        output: AnswerOutput(
          form: arguments[schema].map { .json($0.schema) } ?? (arguments[code] ? .codeBlock : .whole),
          json: arguments[json], raw: arguments[raw],
          file: try arguments[output].map(file)))
    }
  }

  private static func value(_ text: String) throws -> (String, String) {
    guard let sign = text.firstIndex(of: "="), Template.isVariable(String(text[..<sign])) else {
      throw CommandLineError(tr("“\(text)” is not KEY=VALUE"))
    }
    return (String(text[..<sign]), String(text[sign...].dropFirst()))
  }

  private static func file(_ path: String) throws -> OutputFile {
    guard !path.isEmpty else { throw CommandLineError(tr("--output needs the name of a file.")) }
    return OutputFile(path: path, replaces: true)
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    try output.check()
    let client: ObjectPath
    switch place {
    case .nowhere: client = try await service.openClient(account)
    case .continued: client = try await service.sharedClient(account)
    case .thread(let name):
      return try await ThreadConversation(service, account: account, thread: name, output: output)
        .send(question, options)
    }
    return try await TurnPrinter(service: service, client: client, output: output).print(question, options)
  }
}
