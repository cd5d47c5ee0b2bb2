import CGLib
import Glibc
import Synchronization

/// The process's standard output and error. What is written leaves at once.
public enum StandardStream: Int32, Sendable {
  /// `stdout`
  case output = 1
  /// `stderr`
  case error = 2

  /// What each stream failed with first, as `errno` has it.
  private static let errors = Mutex<[StandardStream: Int32]>([:])

  private var error: Int32? { Self.errors.withLock { $0[self] } }

  /// Why not all could be written; nil where it could, and where nobody reads it any more.
  public var failure: String? {
    guard let error, error != EPIPE else { return nil }
    return String(cString: strerror(error))
  }

  /// Writes `text`, without a newline of its own, with nothing in it that a terminal obeys, whoever wrote it. After a
  /// failure nothing more is written.
  public func write(_ text: String) {
    send(text.harmless)
  }

  /// Writes what a program or a file takes as it is: harmless all the same at a terminal.
  public func write(data text: String) {
    send(isTerminal ? text.harmless : text)
  }

  /// Writes what the terminal is to obey, around text that was made harmless.
  public func write(obeyed text: String) {
    send(text)
  }

  /// Whether `text` is written as it is: the locale of a terminal may lack its characters.
  public func has(_ text: String) -> Bool {
    !isTerminal || Charset.ofTerminal.has(text)
  }

  /// A terminal gets the characters of its locale, everything else UTF-8.
  private func send(_ text: String) {
    let bytes = isTerminal ? Charset.ofTerminal.bytes(text) : Array(text.utf8)
    guard error == nil, let error = writeAll(bytes, to: rawValue) else { return }
    Self.errors.withLock { $0[self] = error }
  }

  /// Takes the place of each standard stream that is closed: what is opened next would be written to and read from in
  /// its stead. Writing to such a one fails.
  public static func fillGaps() {
    // What is opened gets the lowest number that is free, and is open the wrong way round.
    for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}
