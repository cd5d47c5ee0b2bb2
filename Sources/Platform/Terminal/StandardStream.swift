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

  public var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Why not all could be written; nil where it could, and where nobody reads it any more.
  public var failure: String? {
    guard let error, error != EPIPE else { return nil }
    return String(cString: strerror(error))
  }

  /// Writes `text`, without a newline of its own, with nothing in it that a terminal obeys, whoever wrote it. After a
  /// failure nothing more is written.
  public func write(_ text: String) {
    send(text.terminalSafe)
  }

  /// Writes what a program or a file takes as it is: harmless all the same at a terminal.
  public func write(data text: String) {
    send(isTerminal ? text.terminalSafe : text)
  }

  /// Writes what the terminal is to obey, around text that was made harmless.
  public func write(controlSequences text: String) {
    send(text)
  }

  /// Whether `text` is written as it is: the locale of a terminal may lack its characters.
  public func has(_ text: String) -> Bool {
    !isTerminal || Charset.ofTerminal.has(text)
  }

  /// A terminal gets the characters of its locale, everything else UTF-8.
  private func send(_ text: String) {
    let bytes = isTerminal ? Charset.ofTerminal.bytes(text) : Array(text.utf8)
    guard error == nil, let error = Descriptor.write(bytes, to: rawValue) else { return }
    Self.errors.withLock { $0[self] = error }
  }

  /// Takes the place of each standard stream that is closed: what is opened next would be written to and read from in
  /// its stead. Writing to such a one fails.
  public static func openMissing() {
    // What is opened gets the lowest number that is free, and is open the wrong way round.
    for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether this is a pipe that no program has as its standard input: nobody reads it but its maker, whatever other
  /// programs were left with an end of it.
  public var isPipeReadByItsCreator: Bool {
    guard let pipe = Self.target(of: "/proc/self/fd/\(rawValue)"), pipe.hasPrefix("pipe:"),
      let processes = try? Files.names(in: "/proc")
    else { return false }
    return !processes.contains { Int32($0) != nil && Self.target(of: "/proc/\($0)/fd/0") == pipe }
  }

  /// The beginning of what a link says, which is all that tells pipes apart.
  private static func target(of link: String) -> String? {
    var target = [CChar](repeating: 0, count: 64)
    let count = readlink(link, &target, target.count)
    return count < 0 ? nil : String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The process's standard input.
public enum StandardInput {
  /// Whether a person sits at it.
  public static var isTerminal: Bool { isatty(0) == 1 }

  /// Everything up to the end of input; nil when it is longer than `limit` bytes.
  public static func readAll(limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(0, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else { return nil }
    }
  }
}
