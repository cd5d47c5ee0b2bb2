import ChappieSDK
import GLibBridge
import Platform

/// What `chappie ask` asks, of its words and of standard input.
///
/// Standard input is read only where the command line says so: a script's own loop may read from it.
struct Question {
  /// What the service takes in one call.
  private static let textLimit = 4 << 20
  /// What stands for standard input.
  private static let input = "-"

  let text: String
  /// Addresses, and whole paths.
  let images: [String]

  /// - Throws: ``CommandLineError``.
  init(words: [String], images: [String]) throws {
    let showsInput = images.contains(Self.input)
    guard (words + images).count(where: { $0 == Self.input }) <= 1 else {
      throw CommandLineError("Standard input can be given once: give - once.")
    }
    self.images = try images.map(Self.image)
    text = try Self.text(words, mayReadInput: !showsInput)
  }

  private static func text(_ words: [String], mayReadInput: Bool) throws -> String {
    let asksInput = words.contains(input) || words.isEmpty && mayReadInput && !StandardInput.isTerminal
    let parts = words.split(separator: input, omittingEmptySubsequences: false).map { $0.joined(separator: " ") }
    // Without a dash there is one part, which is empty where there are no words.
    let read = asksInput ? try readText() : ""
    let text = [parts.first ?? "", read, parts.count > 1 ? parts[1] : ""].filter { !$0.isEmpty }
    guard !text.isEmpty else {
      throw CommandLineError(
        asksInput
          ? "There is nothing to ask: standard input is empty."
          : "There is nothing to ask: give a text, or - for standard input.")
    }
    return text.joined(separator: "\n\n")
  }

  private static func readText() throws -> String {
    guard let bytes = StandardInput.readAll(limit: textLimit) else {
      throw CommandLineError("Standard input is longer than \(textLimit >> 20) MiB: send less.")
    }
    return String(decoding: bytes, as: UTF8.self).trimmingEnd(while: \.isNewline)
  }

  /// An address as it is, a file by its whole path: the service has another working directory.
  private static func image(_ name: String) throws -> String {
    guard name != input else { return try readImage() }
    return name.contains(":") && !name.hasPrefix("/") ? name : Directories.absolutePath(name)
  }

  private static func readImage() throws -> String {
    guard let bytes = StandardInput.readAll(limit: ChappieImage.fileLimit) else {
      throw CommandLineError("The image on standard input is larger than \(ChappieImage.fileLimit >> 20) MiB.")
    }
    guard let image = ChappieImage(bytes: bytes) else {
      throw CommandLineError("What is on standard input is no PNG, JPEG, GIF or WebP image.")
    }
    return image.url
  }
}
