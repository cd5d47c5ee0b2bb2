// SPDX-License-Identifier: Apache-2.0
import Platform

/// The sentences of this library's errors, in the user's language.
///
/// Errors are in English, on the bus too, because programs and logs read them. A program that shows one to a person
/// translates it here. A sentence that is missing here is shown in English.
package enum ErrorSentences {
  /// `message` in the user's language, if it is one of `sentences`.
  package static func translated(_ message: String, by sentences: [LocalizedText] = all) -> String {
    // A value may be a sentence or a clause too. It is not searched deeper, since another program wrote the message.
    translated(message, by: sentences) { translated($0, by: all, convertingValues: fixed) }
  }

  private static func translated(
    _ message: String, by sentences: [LocalizedText], convertingValues convert: (String) -> String
  ) -> String {
    for sentence in sentences {
      if let found = sentence.matching(message, convertingValues: convert) { return found.translation }
    }
    return fixed(message)
  }

  /// A text without values, such as the reason of a file's error, is in the catalogue by itself.
  private static func fixed(_ message: String) -> String {
    message.isEmpty ? message : LocalizedText(stringLiteral: message).translation
  }

  private static let value = ""

  // Of two sentences that fit, the first one counts.
  package static let all =
    ChappieClientError.samples.map(\.text) + ChappieAuthError.samples.map(\.text) + reasons

  private static let reasons = [
    // ChappieClientError
    translatable("There is no text to answer: give some."),
    translatable("There is no conversation to compact yet."),
    translatable(
      "The conversation has more than \(value) MiB or \(value) messages: compact or clear it, or send less."),
    translatable("The answer has more than \(value) MiB: ask for less at a time."),
    translatable("The answer was not complete after \(value) minutes."),
    translatable("The image \(value) was not read in time."),
    translatable("The image \(value) cannot be used: \(value)."),
    translatable("The file \(value) is no PNG, JPEG, GIF or WebP image."),
    translatable("'\(value)' is no image: give an https: address, or data:image/…."),
    // DocumentReader
    translatable("The document \(value) cannot be read now, as others are read: try again."),
    translatable("The document \(value) cannot be read on this machine: install the package \(value)."),
    translatable(
      "The document \(value) cannot be read on this machine: the programs of the package \(value) do not start."),
    translatable("The document \(value) cannot be read on this machine: bubblewrap can make no sandbox here."),
    translatable("The document \(value) cannot be read on this machine: \(value)."),
    translatable("The document \(value) is encrypted: save a copy that needs no password."),
    translatable("The document \(value) has no page."),
    translatable("The document \(value) is damaged, or takes more memory or time than is allowed to read."),
    translatable("The document \(value) was not read in time: send fewer pages."),
    translatable("The document \(value) has no text, and none of its pages can be shown."),
    // CredentialError
    translatable("The sign-in has ended and cannot be renewed: sign in again."),
    translatable("The screen is locked: unlock it and try again."),
    translatable(
      "Nothing here tells whether the screen is locked, and [Lock] Unknown=deny is set: see chappied(8)."),
    translatable("The keyring is locked: unlock it and try again."),
    translatable(
      """
      The keyring is locked, and asks nothing for this program now, because the last question was refused a moment ago: \
      unlock it and try again.
      """),
    translatable("The keyring cannot be used (\(value)): start or repair it and try again."),
    translatable(
      """
      The keyring has no collection to store in, as before its first use: a sign-in in the window or at a terminal lets \
      it create one.
      """),
    translatable("Another program is using the stored credential: try again."),
    // Clauses
    translatable("the answer broke off before its end"),
    translatable("the backend does not answer"),
    translatable("the model wrote no summary"),
    translatable("copy the whole address from the browser, which begins with \(value)"),
    translatable(
      "the address belongs to another computer, program or sign-in: that of this sign-in begins with \(value)"),
    translatable("the address is not that of the sign-in's end: its path is not \(value)"),
    translatable("the address is too long"),
    translatable("the address is damaged: copy all of it again"),
    translatable("the address has one of its parameters twice"),
    translatable("the address has a parameter that is empty, too long or malformed"),
    translatable("the address belongs to another sign-in: copy the one of this sign-in"),
    translatable("the address comes from another server than the one that was asked"),
    translatable("the address has neither a code nor an error, or both"),
    translatable("this sign-in already has its answer"),
    translatable("no sign-in in the browser waits for an address"),
  ]
}
