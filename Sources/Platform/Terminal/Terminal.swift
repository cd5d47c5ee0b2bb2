import CPlatform
import Glibc

/// The terminal that a person sits at.
public enum Terminal {
  /// How many columns the terminal has that standard output is; nil where it is none.
  public static var columns: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
