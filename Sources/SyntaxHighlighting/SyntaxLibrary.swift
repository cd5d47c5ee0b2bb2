import Glibc

/// libt3highlight, with its definitions of languages. It is loaded when the first code is to be coloured, so that a
/// program which colours nothing does not pay for it, and needs it no more than that.
public final class SyntaxLibrary {
  typealias StyleMap = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> CInt
  typealias Load =
    @convention(c) (
      UnsafePointer<CChar>?, StyleMap?, UnsafeMutableRawPointer?, CInt, UnsafeMutableRawPointer?
    ) -> OpaquePointer?
  typealias NewMatch = @convention(c) (OpaquePointer?) -> OpaquePointer?
  typealias Release = @convention(c) (OpaquePointer?) -> Void
  typealias Reset = @convention(c) (OpaquePointer?, CInt) -> Void
  typealias Match = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int) -> CChar
  typealias Position = @convention(c) (OpaquePointer?) -> Int
  typealias Number = @convention(c) (OpaquePointer?) -> CInt

  /// The functions that are used of the library.
  struct Functions {
    let load: Load
    let free: Release
    let newMatch: NewMatch
    let freeMatch: Release
    let reset: Reset
    let match: Match
    let start: Position
    let matchStart: Position
    let end: Position
    let beginAttribute: Number
    let matchAttribute: Number
    let nextLine: Number

    /// Nil if the library is missing, or is another one than is known.
    init?() {
      guard let library = dlopen("libt3highlight.so.2", RTLD_NOW | RTLD_LOCAL) else { return nil }
      func function<Function>(_ name: String, _: Function.Type) -> Function? {
        dlsym(library, "t3_highlight_\(name)").map { unsafeBitCast($0, to: Function.self) }
      }
      guard let load = function("load", Load.self), let free = function("free", Release.self),
        let newMatch = function("new_match", NewMatch.self), let freeMatch = function("free_match", Release.self),
        let reset = function("reset", Reset.self), let match = function("match", Match.self),
        let start = function("get_start", Position.self), let end = function("get_end", Position.self),
        let matchStart = function("get_match_start", Position.self),
        let beginAttribute = function("get_begin_attr", Number.self),
        let matchAttribute = function("get_match_attr", Number.self),
        let nextLine = function("next_line", Number.self)
      else { return nil }
      self.load = load
      self.free = free
      self.newMatch = newMatch
      self.freeMatch = freeMatch
      self.reset = reset
      self.match = match
      self.start = start
      self.matchStart = matchStart
      self.end = end
      self.beginAttribute = beginAttribute
      self.matchAttribute = matchAttribute
      self.nextLine = nextLine
    }
  }

  private lazy var functions = Functions()
  private var highlighters: [String: SyntaxHighlighter?] = [:]

  public init() {}

  /// The highlighter of a language.
  ///
  /// - Parameter language: as it stands behind a fence, such as `c++`.
  /// - Returns: nil if the library is missing or does not know the language.
  public func highlighter(of language: String) -> SyntaxHighlighter? {
    guard let file = Self.files[language.lowercased()], let functions else { return nil }
    if let known = highlighters[file] { return known }
    let highlighter = SyntaxHighlighter(file, functions)
    highlighters[file] = .some(highlighter)
    return highlighter
  }

  /// The library's file for each name that people write behind a fence. A language that it lacks gets the file of one
  /// with the same comments, texts and numbers, and most of the same words.
  private static let files: [String: String] = {
    let names = [
      "c.lang": "c h", "cxx.lang": "c++ cpp cc cxx hpp hxx objc objective-c arduino glsl",
      "java.lang": "java cs csharp c# kotlin kt scala groovy dart",
      "javascript.lang": "javascript js jsx mjs cjs node ecmascript typescript ts tsx json json5 jsonc go golang swift",
      "python.lang": "python2 py2", "python3.lang": "python py python3 py3 pycon",
      "sh.lang": "sh bash zsh ksh shell shell-script console shell-session shellsession dockerfile",
      "ruby.lang": "ruby rb", "perl.lang": "perl pl", "php.lang": "php", "css.lang": "css scss less",
      "html.lang": "html xhtml htm vue svelte", "xml.lang": "xml xsd xsl plist", "svg.lang": "svg",
      "make.lang": "make makefile mk", "diff.lang": "diff patch", "markdown.lang": "markdown md",
      "conf.lang": "conf ini toml yaml yml cfg properties desktop systemd",
    ]
    return Dictionary(
      names.flatMap { file, names in names.split(separator: " ").map { (String($0), file) } }, uniquingKeysWith: { $1 })
  }()
}
