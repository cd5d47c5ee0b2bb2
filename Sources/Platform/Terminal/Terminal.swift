import CGLib
import Glibc

/// How a terminal shows text.
public enum Terminal {
  /// How many columns the terminal has that standard output is; nil where it is none.
  public static var columns: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The next line that is typed, without its end; nil when the input has ended. Everything else goes on meanwhile.
  @GLibActor
  public static func readLine() async -> String? {
    await offActor { Swift.readLine() }
  }
}

extension Character {
  /// How many columns of a terminal it takes.
  public var columns: Int {
    isASCII ? 1 : unicodeScalars.map(Self.columns).max() ?? 0
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    if g_unichar_iszerowidth(scalar.value) != 0 { return 0 }
    return g_unichar_iswide(scalar.value) != 0 ? 2 : 1
  }
}

extension StringProtocol {
  /// How many columns of a terminal it takes, on one line.
  public var columns: Int { reduce(0) { $0 + $1.columns } }
}
