import Glibc

/// The characters that the user's locale says a terminal has.
public struct Charset: Sendable {
  /// That of the environment: `LC_ALL`, `LC_CTYPE` or `LANG`.
  public static let ofTerminal = Charset()

  /// As iconv calls it.
  private let name: String

  /// Whether it has all of Unicode.
  public var isUTF8: Bool { name == "UTF-8" }

  private init() {
    let wanted = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { CurrentProcess.environment($0) }.first ?? "C"
    // Of a locale that is not installed, as on a machine that is reached over ssh, the name tells enough.
    let suffix = wanted.split(separator: ".").dropFirst().first?.split(separator: "@").first ?? ""
    guard suffix.lowercased() != "utf-8", suffix.lowercased() != "utf8" else {
      name = "UTF-8"
      return
    }
    guard let locale = newlocale(1 << LC_CTYPE, "", nil), let codeset = nl_langinfo_l(Int32(CODESET), locale) else {
      name = "ASCII"
      return
    }
    name = String(cString: codeset)
    freelocale(locale)
  }

  /// Whether it has all characters of `text`.
  public func has(_ text: String) -> Bool {
    isUTF8 || text.utf8.allSatisfy { $0 < 0x80 } || convert(text, to: name) != nil
  }

  /// `text` in this charset, with what is near to it in place of what it lacks: `"` for `“`, and `?` at the worst.
  func bytes(_ text: String) -> [UInt8] {
    guard !isUTF8, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return Array(text.utf8) }
    return convert(text, to: "\(name)//TRANSLIT")
      ?? text.unicodeScalars.map { $0.isASCII ? UInt8($0.value) : UInt8(ascii: "?") }
  }

  /// Nil where that cannot be.
  private func convert(_ text: String, to target: String) -> [UInt8]? {
    // iconv finds what is near to a letter in the locale, and plain "C" knows of few letters.
    let letters = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
    let before = letters.map { uselocale($0) }
    defer {
      if let before { uselocale(before) }
      if let letters { freelocale(letters) }
    }
    guard let converter = iconv_open(target, "UTF-8"), Int(bitPattern: converter) != -1 else { return nil }
    defer { iconv_close(converter) }
    var input = Array(text.utf8CString)
    // No character of UTF-8 takes more than a few of any charset.
    var output = [CChar](repeating: 0, count: input.count * 4 + 16)
    var (read, room) = (input.count - 1, output.count)
    let failed = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        var (from, to) = (input.baseAddress, output.baseAddress)
        return iconv(converter, &from, &read, &to, &room) == -1
      }
    }
    guard !failed else { return nil }
    return output.prefix(output.count - room).map { UInt8(bitPattern: $0) }
  }
}
