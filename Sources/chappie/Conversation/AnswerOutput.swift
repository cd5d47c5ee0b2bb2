/// Where an answer goes, and in which form.
struct AnswerOutput {
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

  /// Keeps the complete answer.
  ///
  /// - Throws: ``CommandFailure``.
  func keep(_ answer: String) throws(CommandFailure) {
    try file?.write(answer.hasSuffix("\n") ? answer : answer + "\n")
  }
}
