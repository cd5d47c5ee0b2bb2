/// Where an answer goes, and in which form.
struct AnswerOutput {
  var form = AnswerForm.whole
  /// Prints one JSON object at the end, and nothing before.
  var json = false
  /// Prints the answer as it is, on a terminal too.
  var raw = false
  /// A file that keeps the answer, beside standard output.
  var file: OutputFile?

  /// Checks what can fail before the question is asked.
  ///
  /// - Throws: ``CommandFailure``.
  func check() throws {
    try file?.check()
  }

  /// Whether the whole answer is wanted. A part of it is known only at its end.
  var isWhole: Bool {
    if case .whole = form { true } else { false }
  }

  /// Keeps what is wanted of the answer in the file.
  ///
  /// - Throws: ``CommandFailure``.
  func keep(_ part: String) throws(CommandFailure) {
    try file?.write(part.hasSuffix("\n") ? part : part + "\n")
  }
}
