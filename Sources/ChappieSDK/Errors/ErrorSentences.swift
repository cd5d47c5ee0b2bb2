import Platform

/// The sentences of this library's errors, in the user's language.
///
/// Errors are in English, on the bus too, because programs and logs read them. A program that shows one to a person
/// translates it here. A sentence that is missing here is shown in English.
package enum ErrorSentences {
  /// `message` in the user's language.
  package static func translated(_ message: String) -> String {
    translated(message, by: all)
  }

  /// `message` in the user's language, if it is one of `sentences`.
  package static func translated(_ message: String, by sentences: [LocalizedText]) -> String {
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
  private static let all = [
    // ChappieClientError
    translatable("Nobody is signed in here: sign in first."),
    translatable("The stored sign-in cannot be renewed: sign in again."),
    translatable("The stored sign-in names no ChatGPT account: sign in again."),
    translatable("The sign-in has ended and cannot be renewed: sign in again."),
    translatable(
      "This sign-in does not allow the use of your ChatGPT plan: sign in again and allow it on the page."),
    translatable("ChatGPT does not let this account use its plan here."),
    translatable("ChatGPT does not let this account use its plan here: \(value)"),
    translatable(
      "The backend of this sign-in does not offer '\(value)': leave it out, or sign in with a device code."),
    translatable(
      "The usage limit of the \(value) plan is reached: wait until it resets, or see the usage page of ChatGPT's settings."
    ),
    translatable("The usage limit is reached: wait until it resets, or see the usage page of ChatGPT's settings."),
    translatable("The model called the tool '\(value)', which nothing handles here: register a handler for it."),
    translatable("The tool '\(value)' was not allowed to run: \(value)"),
    translatable("The tool '\(value)' was not allowed to run."),
    translatable("The model called tools in more than \(value) rounds: ask for less at a time."),
    translatable("The connection dropped, and the backend then told another answer than before: ask again."),
    translatable("The backend answered with status \(value): \(value)"),
    translatable("The backend answered with status \(value)."),
    translatable("The backend could not be used: \(value)."),
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
    // ChappieAuthError
    translatable("The sign-in server refused with status \(value): \(value)."),
    translatable("The sign-in server refused with status \(value)."),
    translatable(
      "The sign-in could not be renewed and is kept: the answer of the sign-in server had status \(value): \(value)."),
    translatable("The sign-in could not be renewed and is kept: the answer of the sign-in server had status \(value)."),
    translatable(
      "Sign-in with a device code is not enabled on this server: turn it on in ChatGPT under Settings, Security."),
    translatable("The sign-in server gave no code, with status \(value): \(value)."),
    translatable("The sign-in server gave no code, with status \(value)."),
    translatable("The sign-in was declined: start it again when you want it."),
    translatable("The sign-in was not approved within its time: start it again."),
    translatable("The sign-in has ended, for \(value): sign in again."),
    translatable("The sign-in server renews the sign-in in some minutes only: try again then."),
    translatable(
      """
      Another account has signed in on the page than the one that is stored here, which stays: sign in with that one, or \
      ask for another account.
      """),
    translatable(
      """
      ChatGPT does not know this application any more, as after its removal in ChatGPT's settings: sign in again, which \
      connects it anew.
      """),
    translatable(
      """
      The sign-in server's proof of who signed in cannot be used (\(value)): start the sign-in again.
      """),
    translatable("This address does not complete the sign-in: \(value)."),
    translatable("The sign-in was cancelled."),
    translatable("The sign-in server gave an answer that cannot be used: \(value)."),
    translatable("The sign-in server gave an answer that cannot be used."),
    translatable("The sign-in server was not reached: \(value)."),
    translatable(
      """
      The sign-in was removed here, but the server could not be told to revoke it (\(value)): it may stay valid there, so \
      end it in ChatGPT under Settings, Security.
      """),
    // CredentialError
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
      "The keyring has no default collection to store in: let it create one, as chappie sign-in at a terminal does."),
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
