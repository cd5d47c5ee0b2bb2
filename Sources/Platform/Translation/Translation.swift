import CPlatform
import Glibc

/// The text in the user's language; the literal itself when there is no translation.
///
/// Only texts that people read are translated. A log, an error on the bus and everything that a script reads are not.
public func tr(_ text: LocalizedText) -> String {
  text.filled(into: Translation.shared.find { dgettext(Translation.domain, text.key) })
}

/// As ``tr(_:)``, for a short text that has several meanings. `context` tells translators which one is meant.
public func tr(_ text: LocalizedText, context: StaticString) -> String {
  // gettext separates a context from its key by this character.
  let key = "\(context)\u{4}\(text.key)"
  let found = Translation.shared.find { dgettext(Translation.domain, key) }
  return text.filled(into: found == key ? text.key : found)
}

/// As ``tr(_:)``, for a text with a number: `one` is the singular and `other` the plural in English. Both have the same
/// interpolations. A language may have more forms.
public func tr(_ count: Int, one: LocalizedText, other: LocalizedText) -> String {
  other.filled(
    into: Translation.shared.find { dngettext(Translation.domain, one.key, other.key, UInt(count.magnitude)) })
}

/// The catalogues, and the language that the environment selects.
public struct Translation: @unchecked Sendable {
  static let domain = "chappie"
  static let shared = Translation()

  /// Nil when the user's locale is not installed. It is never freed.
  private let locale: locale_t?

  private init() {
    locale = newlocale(1 << LC_MESSAGES, "", nil)
    bindtextdomain(Self.domain, Self.directory)
    bind_textdomain_codeset(Self.domain, "UTF-8")
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

  /// What `search` finds in the user's language. The rest of the process keeps its locale: the service logs, and
  /// answers on the bus, in English.
  func find(_ search: () -> UnsafeMutablePointer<CChar>?) -> String {
    let before = locale.map { uselocale($0) }
    defer {
      if let before { uselocale(before) }
    }
    return search().map { String(cString: $0) } ?? ""
  }

  /// Has the libraries of this process, such as GLib, write their texts in the user's language too. Call it at the
  /// start of a program that people use; its texts in memory are UTF-8 in any locale.
  public static func useForLibraries() {
    setlocale(LC_MESSAGES, "")
    setlocale(LC_TIME, "")
    setlocale(LC_CTYPE, "C.UTF-8")
  }
}
