// SPDX-License-Identifier: Apache-2.0

/// A process of a world. Its output goes into a log.
@GLibActor
final class ChildProcess {
  /// The end of a process.
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  let log: URL
  private let name: String
  private let process = Process()
  private let ended = Wait()
  private(set) var end: End?
  private var killed = false

  /// - Parameters:
  ///   - input: the process's standard input.
  ///   - environment: added to the world's.
  init(
    _ name: String, _ program: String, _ arguments: [String], in directories: WorldDirectories, input: String = "",
    environment: [String: String] = [:]
  ) throws {
    self.name = name
    log = try directories.newLog(name)
    // The kernel ends the child with the thread that created it, and GLibActor's thread lives as long as the tests: no
    // process remains when they are killed.
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    process.arguments = ["--pdeathsig", "KILL", "--", program] + arguments
    process.environment = directories.environment.merging(environment) { $1 }
    process.currentDirectoryURL = directories.home
    let output = try FileHandle(forWritingTo: log)
    let standardInput = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = standardInput
    process.terminationHandler = { [weak self] process in
      let status = process.terminationStatus
      let wasKilled = process.terminationReason == .uncaughtSignal
      Task { @GLibActor in self?.note(wasKilled ? .signal(status) : .exit(status)) }
    }
    try process.run()
    standardInput.fileHandleForWriting.write(Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    try output.close()
  }

  var id: pid_t { process.processIdentifier }

  var output: String {
    String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
  }

  func send(_ signal: Int32) {
    guard end == nil else { return }
    if signal == SIGKILL { killed = true }
    kill(id, signal)
  }

  /// The end of the process if it was its own and a failure.
  var crash: End? {
    guard let end, end != .exit(0), !(killed && end == .signal(SIGKILL)) else { return nil }
    return end
  }

  /// Waits for the end of the process, which may take half a minute because of the deadlines of calls.
  func waitForEnd() async throws -> End {
    _ = await holds(within: patience + .seconds(30)) { end != nil }
    guard let end else { throw UnmetCondition("the end of \(name)") }
    return end
  }

  /// Its output after its end, which must not be by a signal.
  func result() async throws -> Output {
    guard case .exit(let status) = try await waitForEnd() else { throw UnmetCondition("an exit: \(output)") }
    return Output(status: status, text: output)
  }

  /// Ends the process with SIGTERM, and if necessary with SIGKILL.
  func terminate() async {
    send(SIGTERM)
    if await !holds({ end != nil }) {
      Issue.record("\(name) did not end on SIGTERM and was killed")
      send(SIGKILL)
      await ended.value()
    }
  }

  private func note(_ end: End) {
    self.end = end
    ended.finish()
  }
}

/// A program's output and exit status.
struct Output {
  let status: Int32
  /// Standard output and standard error together.
  let text: String

  /// The text without the marks of a terminal's frames, which may come anywhere in it.
  var drawn: String {
    text.replacing("\u{1B}[?2026h", with: "").replacing("\u{1B}[?2026l", with: "")
  }

  @GLibActor
  static func of(_ program: String, _ arguments: [String], in directories: WorldDirectories) async throws -> Output {
    let name = URL(filePath: program).lastPathComponent
    return try await ChildProcess(name, program, arguments, in: directories).result()
  }
}
