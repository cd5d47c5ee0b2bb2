// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The character set of the user's locale, in which a terminal expects text.
public struct Charset: Sendable {
  /// The character set that `LC_ALL`, `LC_CTYPE` or `LANG` selects.
  public static let ofTerminal = Charset()

  /// The name that iconv uses.
  private let name: String

  /// Whether it is UTF-8, and so contains all of Unicode.
  public var isUTF8: Bool { name == "UTF-8" }

  private init() {
    let wanted = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { CurrentProcess.environment($0) }.first ?? "C"
    // A locale may not be installed, for example on a machine that is used over ssh. Its name is sufficient then.
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

  /// Whether the character set contains all characters of `text`.
  public func has(_ text: String) -> Bool {
    isUTF8 || text.utf8.allSatisfy { $0 < 0x80 } || convert(Array(text.utf8), from: "UTF-8", to: name) != nil
  }

  /// `text` in this character set. A missing character is replaced by a similar one, such as `"` for `“`, or by `?`.
  func bytes(_ text: String) -> [UInt8] {
    guard !isUTF8, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return Array(text.utf8) }
    return convert(Array(text.utf8), from: "UTF-8", to: "\(name)//TRANSLIT")
      ?? text.unicodeScalars.map { $0.isASCII ? UInt8($0.value) : UInt8(ascii: "?") }
  }

  /// `text` as the terminal shows it, with each missing character replaced.
  public func shown(_ text: String) -> String {
    guard !isUTF8, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return String(decoding: convert(bytes(text), from: name, to: "UTF-8") ?? [], as: UTF8.self)
  }

  /// Nil when iconv cannot convert the text.
  private func convert(_ text: [UInt8], from source: String, to target: String) -> [UInt8]? {
    // iconv transliterates by the rules of the locale, and the "C" locale has almost none.
    let letters = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
    let before = letters.map { uselocale($0) }
    defer {
      if let before { uselocale(before) }
      if let letters { freelocale(letters) }
    }
    guard let converter = iconv_open(target, source), Int(bitPattern: converter) != -1 else { return nil }
    defer { iconv_close(converter) }
    var input = text.map { CChar(bitPattern: $0) }
    // One byte becomes at most four bytes in any character set.
    var output = [CChar](repeating: 0, count: input.count * 4 + 16)
    var (read, room) = (input.count, output.count)
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
