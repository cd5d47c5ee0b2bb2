// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc
import Synchronization

/// The standard output or standard error of the process, unbuffered.
public enum StandardStream: Int32, Sendable {
  /// `stdout`
  case output = 1
  /// `stderr`
  case error = 2

  /// The `errno` of the first failure of each stream.
  private static let errors = Mutex<[StandardStream: Int32]>([:])

  private var error: Int32? { Self.errors.withLock { $0[self] } }

  public var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The reason why writing failed; nil when it succeeded or when the reader has closed its end.
  public var failure: String? {
    guard let error, error != EPIPE else { return nil }
    return String(cString: strerror(error))
  }

  /// Writes `text`, without adding a newline, after ``Swift/String/terminalSafe`` has removed control characters. After
  /// a failure, later calls write nothing.
  public func write(_ text: String) {
    send(text.terminalSafe)
  }

  /// Writes data that a program or a file receives unchanged. At a terminal, control characters are removed.
  public func write(data text: String) {
    send(isTerminal ? text.terminalSafe : text)
  }

  /// Writes control sequences to the terminal. Other text in `text` must be terminal-safe already.
  public func write(controlSequences text: String) {
    send(text)
  }

  /// Whether `text` is written unchanged. The character set of a terminal may lack some of its characters.
  public func has(_ text: String) -> Bool {
    !isTerminal || Charset.ofTerminal.has(text)
  }

  /// A terminal receives its locale's character set; files and pipes receive UTF-8.
  private func send(_ text: String) {
    let bytes = isTerminal ? Charset.ofTerminal.bytes(text) : Array(text.utf8)
    guard error == nil, let error = Descriptor.write(bytes, to: rawValue) else { return }
    Self.errors.withLock { $0[self] = error }
  }

  /// Opens `/dev/null` for each standard stream that is closed, in the direction in which its use fails. Otherwise the
  /// next file that is opened would become standard input or output.
  public static func openMissing() {
    // open(2) returns the lowest free descriptor.
    for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether this is a pipe that no process has as its standard input. Only the process that created the pipe reads it
  /// then, even if other processes have inherited an end of it.
  public var isPipeReadByItsCreator: Bool {
    guard let pipe = Files.target(of: "/proc/self/fd/\(rawValue)"), pipe.starts(with: "pipe:".utf8),
      let processes = try? Files.names(in: "/proc")
    else { return false }
    return !processes.contains { Int32($0) != nil && Files.target(of: "/proc/\($0)/fd/0") == pipe }
  }
}

/// The standard input of the process.
public enum StandardInput {
  /// Whether it is a terminal.
  public static var isTerminal: Bool { isatty(0) == 1 }

  /// Whether it is a pipe or a regular file, so that it has an end.
  public static var isPipeOrFile: Bool {
    var status = stat()
    return fstat(0, &status) == 0 && [S_IFIFO, S_IFREG].contains(status.st_mode & S_IFMT)
  }

  /// Reads from the process's terminal from now on, after what was piped in has been read. Without a terminal nothing
  /// changes.
  public static func readTerminal() {
    let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC)
    guard terminal >= 0 else { return }
    dup2(terminal, STDIN_FILENO)
    close(terminal)
  }

  /// Reads the next line, without its end; nil at the end of input.
  ///
  /// - Parameter limit: the most bytes that are kept. The rest of a longer line is read and dropped.
  public static func line(limit: Int) -> String? {
    var bytes: [UInt8] = []
    var isEmpty = true
    // At a terminal, more may come after an end of input.
    chappie_forget_end_of_input()
    while case let byte = getchar_unlocked(), byte != EOF {
      isEmpty = false
      guard byte != UInt8(ascii: "\n") else { break }
      if bytes.count < limit { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    }
    return isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// False for a terminal whose foreground is another job's: the kernel would stop this process if it read there.
  public static var isInForeground: Bool { [getpgrp(), -1].contains(tcgetpgrp(STDIN_FILENO)) }

  /// Forgets what was typed and not read, unless this process runs in the background.
  public static func discardTyped() {
    guard isInForeground else { return }
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  /// Waits until there is something to read, or the end of input.
  ///
  /// - Returns: whether it came in this time.
  public static func isReady(within time: Duration) -> Bool {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, Int32(time / .milliseconds(1))) != 0
  }

  /// Reads to the end of input; nil when the input is longer than `limit` bytes. A closed standard input is empty.
  ///
  /// - Throws: ``FileError``. What was read before is a part of the input, which must not be taken for all of it.
  public static func readAll(limit: Int) throws(FileError) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(0, &buffer, buffer.count)
      let error = errno
      // Another process may have made it non-blocking.
      if count < 0, [EAGAIN, EINTR].contains(error) {
        _ = isReady(within: .seconds(60))
        continue
      }
      guard count >= 0 || error == EBADF else { throw FileError(errno: error) }
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else { return nil }
    }
  }
}

/// The terminal of the process.
public enum Terminal {
  /// The width in columns of the terminal on standard output; nil when standard output is not a terminal.
  public static var columns: Int? { size?.columns }

  /// The size of the terminal on standard output; nil when standard output is not a terminal. A terminal that does not
  /// tell its height is taken for one of 24 lines.
  public static var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
  }
}

/// Keeps what the user types off the terminal while this value exists: it would stand in the middle of what is written
/// there, and an Enter would move lines that are about to change. Ctrl-C and the like work, and the next reader gets
/// what was typed.
public final class HiddenTyping {
  private let modes: termios

  /// Nil if standard input is no terminal, or one that this process must not change because it runs in the background.
  public init?() {
    var modes = termios()
    guard StandardInput.isInForeground, tcgetattr(STDIN_FILENO, &modes) == 0 else { return nil }
    self.modes = modes
    modes.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  deinit {
    var modes = modes
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }
}
