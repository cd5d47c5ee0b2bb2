import Glibc

/// Keeps what the user types off the terminal while this value exists: it would stand in the middle of what is written
/// there, and an Enter would move lines that are about to change. Ctrl-C and the like work, and the next reader gets
/// what was typed.
public final class HiddenTyping {
  private let modes: termios

  /// Nil if standard input is no terminal, or one that this process must not change because it runs in the background.
  public init?() {
    var modes = termios()
    guard tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &modes) == 0 else { return nil }
    self.modes = modes
    modes.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  deinit {
    var modes = modes
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }
}
