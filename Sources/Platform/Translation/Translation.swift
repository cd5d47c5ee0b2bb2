// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc
import Synchronization

/// The text in the user's language; the literal itself when there is no translation.
///
/// Only texts that people read are translated. A log, an error on the bus and everything that a script reads are not.
public func tr(_ text: LocalizedText) -> String { text.translation }

/// As ``tr(_:)``, for a short text that has several meanings. `context` tells translators which one is meant.
public func tr(_ text: LocalizedText, context: StaticString) -> String {
  // gettext separates a context from its key by this character.
  let key = "\(context)\u{4}\(text.key)"
  return text.filled(into: Translation.find(key) { dgettext(Translation.domain, $0) } ?? text.key)
}

/// As ``tr(_:)``, for a text with a number: `one` is the singular and `other` the plural in English. Both have the same
/// interpolations. A language may have more forms.
public func tr(_ count: Int, one: LocalizedText, other: LocalizedText) -> String {
  let found = other.key.withCString { plural in
    // Without a translation, the result is one of the two keys.
    Translation.find(one.key) { singular in
      let found = dngettext(Translation.domain, singular, plural, UInt(count.magnitude))
      return found == UnsafeMutablePointer(mutating: plural) ? UnsafeMutablePointer(mutating: singular) : found
    }
  }
  return other.filled(into: found ?? (count.magnitude == 1 ? one.key : other.key))
}

/// Marks a text that is translated later, or only for people: see ``LocalizedText/translation``.
public func translatable(_ text: LocalizedText) -> LocalizedText { text }

/// Marks a text that stays in English, such as that of an error on the bus, and that ``Translation/of(_:)`` translates
/// where a person reads it.
public func en(_ text: String) -> String { text }

/// As `en` of a string, for the reason of a ``TranslatableError``.
public func en(_ text: LocalizedText) -> LocalizedText { text }

extension LocalizedText {
  /// The text in the user's language.
  public var translation: String { filled(into: Translation.find(key) { dgettext(Translation.domain, $0) } ?? key) }
}

/// The catalogues, and the language that the environment selects.
public enum Translation {
  static let domain = "chappie"

  /// The address of the user's locale, which is never freed; 0 when it is not installed, or not used any more.
  private static let locale = Atomic<UInt>(usersLocale())

  private static func usersLocale() -> UInt {
    bindtextdomain(domain, directory)
    bind_textdomain_codeset(domain, "UTF-8")
    let letters = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
    return UInt(bitPattern: newlocale(1 << LC_MESSAGES | 1 << LC_TIME | 1 << LC_NUMERIC, "", letters))
  }

  /// The first `share/locale` above the program, wherever it was installed: `/usr/share/locale` for
  /// `/usr/bin/chappie` and for `/usr/lib/chappie/chappied`.
  private static var directory: String {
    var parts = ProgramFile()?.path.split(separator: "/").dropLast() ?? []
    while let last = parts.indices.last {
      parts.remove(at: last)
      let directory = "/" + (parts + ["share", "locale"]).joined(separator: "/")
      if access(directory, F_OK) == 0 { return directory }
    }
    return "/usr/share/locale"
  }

  /// The keys of all texts of ``en(_:)``, which scripts/translations puts into each catalogue as one text.
  private static let englishKeys = (find("keys\u{4}en") { dgettext(domain, $0) } ?? "").split(separator: "\n").map(
    String.init)
  /// In Unicode scalars: a longer message is none of ours.
  private static let messageLimit = 16 << 10

  /// `message`, a text of ``en(_:)`` by another program or a library, in the user's language; unchanged if it is none,
  /// but cut after 16,384 Unicode scalars. A value may be such a text too, also without its full stop, to a depth of two.
  ///
  /// Nothing tells who wrote a value: words of a server, or a name, that are one of our sentences to the letter are
  /// translated as well.
  public static func of(_ message: String) -> String {
    let cut = String(message.unicodeScalars.prefix(messageLimit))
    return of(cut.utf8.count < message.utf8.count ? cut + "…" : message, depth: 2)
  }

  private static func of(_ message: String, depth: Int) -> String {
    // A text without values is a key.
    if englishKeys.contains(message) { return LocalizedText(stringLiteral: message).translation }
    guard depth > 0, let found = recognise(message, by: englishKeys) else { return message }
    return found.convertingValues { value in
      let sentence = of(value + ".", depth: depth - 1)
      guard sentence != value + ".", sentence.hasSuffix(".") else { return of(value, depth: depth - 1) }
      return String(sentence.dropLast())
    }.translation
  }

  /// The text of one of the keys that `message` is. The values may be words of others, which look like the rest of
  /// another key: so of two that fit, the one whose first value ends first counts.
  static func recognise(_ message: String, by keys: [String]) -> LocalizedText? {
    keys.compactMap { LocalizedText(message, ofKey: $0) }.min { $0.values[0].count < $1.values[0].count }
  }

  /// What `search` finds for the key in the user's language. Nil if it returns the key itself: there is no translation.
  static func find(_ key: String, _ search: (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?) -> String? {
    key.withCString { key in
      guard let found = inUsersLocale({ search(key) }), UnsafePointer(found) != key else { return nil }
      return String(cString: found)
    }
  }

  /// Runs `body` in the user's locale for messages, times and numbers, with text in UTF-8. The rest of the process keeps
  /// its locale: the service logs, and answers on the bus, in English.
  public static func inUsersLocale<Result>(_ body: () -> Result) -> Result {
    guard let locale = locale_t(bitPattern: locale.load(ordering: .relaxed)) else { return body() }
    let before = uselocale(locale)
    defer { uselocale(before) }
    return body()
  }

  /// Has the libraries of this process, such as GLib, write their texts in the user's language too. Call it at the
  /// start of a program that people use; its texts in memory are UTF-8 in any locale.
  public static func useForLibraries() {
    setlocale(LC_MESSAGES, "")
    setlocale(LC_TIME, "")
    setlocale(LC_CTYPE, "C.UTF-8")
  }

  /// Has this process say everything in English from now on, as a program reads it.
  public static func useEnglish() {
    locale.store(0, ordering: .relaxed)
    // In C.UTF-8 there are translations too.
    setlocale(LC_ALL, "C")
    setlocale(LC_CTYPE, "C.UTF-8")
  }
}
