import CPlatform
import Glibc

/// The terminal of the process.
public enum Terminal {
  /// The width in columns of the terminal on standard output; nil when standard output is not a terminal.
  public static var columns: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
