// SPDX-License-Identifier: Apache-2.0

extension World {
  /// Runs `chappie`, with `input` on its standard input.
  func chappie(_ arguments: String..., input: String = "") async throws -> Output {
    try await chappie(arguments, input: input)
  }

  func chappie(_ arguments: [String], input: String = "", environment: [String: String] = [:]) async throws -> Output {
    try await ChildProcess(
      "command", Binaries.chappie, arguments, in: directories, input: input, environment: environment
    ).result()
  }

  /// Starts `chappie`, which ends with this world.
  func begin(_ arguments: String...) throws -> ChildProcess { try begin(arguments) }

  func begin(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
    let process = try ChildProcess(
      "command", Binaries.chappie, arguments, in: directories, environment: environment)
    adopt(process)
    return process
  }

  /// The terminal output of `chappie` for a person.
  ///
  /// - Parameter file: gets standard output in place of the terminal.
  func chappie(
    _ arguments: String..., at terminal: [TerminalStep], output file: String? = nil
  ) async throws -> Output {
    try await chappie(arguments, at: terminal, output: file)
  }

  /// - Parameter columns: the width of the terminal.
  func chappie(
    _ arguments: [String], at terminal: [TerminalStep], columns: Int = 80, environment: [String: String] = [:],
    output file: String? = nil
  ) async throws -> Output {
    let command = file.map { ["/bin/sh", "-c", #"exec "$@" >"$0""#, $0] } ?? []
    return try await ChildProcess(
      "terminal", "/usr/bin/python3",
      ["-c", TerminalStep.player, "\(columns)", json(terminal)] + command + [Binaries.chappie] + arguments,
      in: directories,
      environment: ["TERM": "xterm"].merging(environment) { $1 }
    ).result()
  }

  /// Types lines at the prompt of `chappie chat`, waits after each for a text, and ends the chat.
  @discardableResult
  func chat(
    _ lines: KeyValuePairs<String, String>, with options: [String] = [], at location: SourceLocation = #_sourceLocation
  ) async throws -> Output {
    let steps = lines.flatMap { line, text -> [TerminalStep] in
      [.prompt, .types(line + TerminalStep.enter), .sees(text)]
    }
    let output = try await chappie(["chat"] + options, at: steps + [.prompt, .types(TerminalStep.end)])
    #expect(output.status == 0, "\(output.text)", sourceLocation: location)
    return output
  }
}

extension Output {
  /// Expects this exit status, and each of these texts in what was printed, which has this beginning and this end.
  func expect(
    _ status: Int32, _ texts: String..., beginning: String = "", ending: String = "",
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(self.status == status, "\(text)", sourceLocation: location)
    #expect(text.hasPrefix(beginning) && text.hasSuffix(ending), "\(text)", sourceLocation: location)
    for part in texts { #expect(text.contains(part), "\(text)", sourceLocation: location) }
  }

  /// Expects this exit status, and that exactly this was printed.
  func expect(_ status: Int32 = 0, only text: String, at location: SourceLocation = #_sourceLocation) {
    #expect(self.status == status, sourceLocation: location)
    #expect(self.text == text, sourceLocation: location)
  }
}

/// A person's action at a terminal.
struct TerminalStep: Encodable {
  let kind: String
  let text: String
  var until: String?

  /// Waits for this text after the text that the last step waited for.
  static func sees(_ text: String) -> TerminalStep { TerminalStep(kind: "sees", text: text) }
  static func types(_ text: String) -> TerminalStep { TerminalStep(kind: "types", text: text) }

  /// Types the same text repeatedly until this text appears after the text that the last step waited for.
  static func insists(_ text: String, until: String) -> TerminalStep {
    TerminalStep(kind: "insists", text: text, until: until)
  }
  /// Types what a line of a shell at another terminal prints.
  static func typesOutput(of line: String) -> TerminalStep { TerminalStep(kind: "types output", text: line) }
  /// Runs a line of a shell at another terminal; `$CHILD` is the process at this one.
  static func runs(_ line: String) -> TerminalStep { TerminalStep(kind: "runs", text: line) }

  /// Waits for the prompt, and until the terminal delivers keys one by one, Ctrl-C too.
  static let prompt = prompt("› ")
  static func prompt(_ text: String) -> TerminalStep { TerminalStep(kind: "prompt", text: text) }
  /// Keys.
  static let enter = "\r"
  static let up = "\u{1B}[A"
  static let left = "\u{1B}[D"
  static let start = "\u{1}"
  static let interrupt = "\u{3}"
  static let end = "\u{4}"

  /// The bytes that a terminal sends for pasted `text`.
  static func pasted(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }

  /// Runs the steps on a terminal of its own and prints its output. The exit status is the program's; 99 when an
  /// expected text did not appear, 128 and more when a signal ended the program.
  static let player = """
    import codecs, fcntl, json, os, pty, select, struct, subprocess, sys, termios, time
    columns, steps, command = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        os.execvp(command[0], command)
    seen, shown, position, failure = '', '', 0, None
    decode = codecs.getincrementaldecoder('utf-8')('replace').decode
    def read(seconds):
        global seen, shown
        if not select.select([terminal], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return False
        seen += decode(piece)
        # A frame may begin and end within the text that is waited for.
        shown = seen.replace('\\x1b[?2026h', '').replace('\\x1b[?2026l', '')
        return bool(piece)
    def is_raw():
        modes = termios.tcgetattr(terminal)
        return not modes[3] & termios.ICANON and modes[6][termios.VINTR] == bytes(1)
    def type(text):
        # A terminal takes no more than its program has read, and that program waits until its output is read.
        while text:
            text = text[os.write(terminal, text[:256]):]
            read(0.01)
    for step in steps:
        if step['kind'] == 'types':
            os.write(terminal, step['text'].encode())
            continue
        if step['kind'] == 'types output':
            type(subprocess.check_output(step['text'], shell=True))
            continue
        if step['kind'] == 'runs':
            os.system('CHILD=%d; %s' % (child, step['text']))
            continue
        deadline, again, awaited = time.monotonic() + 120, 0, step.get('until') or step['text']
        while shown.find(awaited, position) < 0 and failure is None:
            if step['kind'] == 'insists' and time.monotonic() > again:
                os.write(terminal, step['text'].encode())
                again = time.monotonic() + 1
            if time.monotonic() > deadline or not read(0.1):
                failure = awaited
        if failure is not None:
            break
        position = shown.find(awaited, position) + len(awaited)
        while step['kind'] == 'prompt' and not is_raw() and time.monotonic() < deadline:
            time.sleep(0.001)
    deadline = time.monotonic() + 120
    while failure is None and read(0.1):
        if time.monotonic() > deadline:
            failure = 'its end'
    if failure is not None:
        os.kill(child, 9)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.stdout.write(seen)
    if failure is not None:
        print('waited without success: ' + failure)
        sys.exit(99)
    sys.exit(status if status >= 0 else 128 - status)
    """
}

/// A line of `chappie threads list --json`.
struct ListedThread: Decodable {
  let id: String
  let title: String
  let createdAt: Int64
  let updatedAt: Int64
  let archived: Bool
  let turnCount: Int
  let bytes: Int

  /// A short form of the id, as a person types it.
  var short: String { String(id.prefix(8)) }
}

extension World {
  /// The threads that `chappie` lists.
  func listedThreads(archived: Bool = false) async throws -> [ListedThread] {
    let output = try await archived ? chappie("threads", "--json", "--archived") : chappie("threads", "list", "--json")
    #expect(output.status == 0, "\(output.text)")
    return try ListedThread.lines(output.text)
  }

  /// Creates a thread with a question, and returns its id.
  func beginThread(_ text: String) async throws -> String {
    let output = try await chappie("ask", "--thread", "new", "--json", text)
    #expect(output.status == 0, "\(output.text)")
    return try Begun(snakeCase: output.text).thread
  }

  private struct Begun: Decodable {
    let thread: String
  }
}
