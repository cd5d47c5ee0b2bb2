// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import ChappieService
import GLibBridge
import Glibc
import Platform
import ServiceConfiguration

/// `chappied`: the entry point of the service.
@main
enum Chappied {
  static func main() {
    MemoryHardening.enable()
    Log.useStandardError()
    TLSEnvironment.removeKeyLogging()
    // Turns, idle sockets and the inspection of callers take descriptors. Without free ones, every new call fails.
    CurrentProcess.raiseOpenFileLimit(to: 8192)
    // GLib writes log lines in the locale's charset, and an account name may hold any character.
    setlocale(LC_CTYPE, "C.UTF-8")
    let parser = CommandLineParser(
      summary: tr(
        "Holds the ChatGPT sign-in in the desktop keyring and answers with it on the session bus, as org.chappie."),
      details: tr("Options override chappie/chappie.conf. See chappied(8) and org.chappie(7)."))
    let issuer = parser.string("issuer", placeholder: "URL", tr("The issuer at which the user signs in"))
    let backend = parser.string("backend", placeholder: "URL", tr("The address of the backend, ending in /backend-api"))
    let api = parser.string(
      "api", placeholder: "URL", tr("The address of the API for sign-ins in the browser, ending in /v1"))
    let toolServer = parser.string(
      "tool-server", placeholder: "NAME", tr("Run this tool server for the service, and nothing else"))
    let version = parser.flag("version", tr("Show the version"))
    do {
      switch try parser.parse(CommandLine.arguments) {
      case .help(let text): StandardStream.output.write(text)
      case .arguments(let arguments) where arguments[version]:
        StandardStream.output.write("chappied \(ChappieVersion.current)\n")
      case .arguments(let arguments) where arguments[toolServer] != nil:
        let name = arguments[toolServer] ?? ""
        exit(MainLoop.run { await ToolServerProgram.run(name) })
      case .arguments(let arguments):
        let options = Result {
          try ServiceOptions(issuer: arguments[issuer], baseURL: arguments[backend], apiURL: arguments[api])
        }
        exit(MainLoop.run { await serve(options) })
      }
    } catch {
      StandardStream.error.write("chappied: \(error)\n")
      exit(2)
    }
  }

  /// The reason why the service ends, and its exit status.
  private enum EndReason: Int32 {
    /// A signal asked it to, its program was replaced or removed, or a caller has erased everything.
    case finished = 0
    /// The bus closed the connection: `EX_UNAVAILABLE`. The unit treats it as a failure.
    case busLost = 69
    /// The configuration is wrong: `EX_CONFIG`. The unit does not restart the service for it.
    case misconfigured = 78
  }

  /// Serves until a signal or the end of the bus, and returns the exit status.
  @GLibActor
  private static func serve(_ configuration: Result<ServiceOptions, any Error>) async -> Int32 {
    let options: ServiceOptions
    do {
      options = try configuration.get()
      log(options)
    } catch {
      Log.error("The service cannot start: \(reason: "\(error)")")
      return EndReason.misconfigured.rawValue
    }
    do {
      // The shared connection that libsecret uses, opened at the same time.
      async let shared = BusConnection.open(.session)
      let connection = try await BusService.connect()
      let stop = Promise<EndReason>()
      connection.onClosed { stop.fulfil(.busLost) }
      if let shared = try? await shared {
        BusConnection.quietenLibraries(onceClosed: shared)
      }
      // Before the service takes its name: from then on it may be asked to end.
      let signals = [SIGTERM, SIGINT].map { signal in
        UnixSignalWatch(signal) {
          Log.info("chappied \(name: ChappieVersion.current) ends: a signal asks it to.")
          stop.fulfil(.finished)
        }
      }
      let service = try await BusService(connection, options) {
        Log.info("chappied \(name: ChappieVersion.current) ends: everything was erased.")
        stop.fulfil(.finished)
      }
      let replacement = ProgramReplacement {
        Log.info("chappied \(name: ChappieVersion.current) ends when it is idle: its program was replaced or removed.")
        try? await service.handOver()
        stop.fulfil(.finished)
      }
      let end = try await stop.value()
      replacement?.cancel()
      if end == .busLost { Log.error("The connection to the session bus is lost.") }
      // From here on a second signal ends the process at once.
      for signal in signals { signal.cancel() }
      await service.stop()
      return end.rawValue
    } catch {
      Log.error("The service cannot start: \(reason: (error as? GLibError)?.message ?? "\(error)")")
      return 1
    }
  }

  /// Tells which version starts, and what configures it, the most important first.
  private static func log(_ options: ServiceOptions) {
    let given = CommandLine.arguments.dropFirst().filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    let sources = given + options.files
    if sources.isEmpty {
      Log.info("chappied \(name: ChappieVersion.current) starts, with the default configuration.")
    } else {
      Log.info(
        "chappied \(name: ChappieVersion.current) starts, configured by \(path: sources.joined(separator: ", ")).")
    }
  }
}

/// Notices that a package manager has replaced or removed the program of this process.
@GLibActor
final class ProgramReplacement {
  /// A package manager replaces several files, and an installer removes a file before it writes the new one. The first
  /// call, for which the service was started, does not wait for the monitor either.
  private static let settlingTime = Duration.seconds(1)

  private let program: ProgramFile
  private var monitor: FileMonitor?
  private var check: Timer?
  private var action: (@GLibActor () async -> Void)?

  /// Starts watching after a second. Nil if the system does not tell which file the program is.
  ///
  /// - Parameter action: called once, after the replacement.
  init?(_ action: @escaping @GLibActor () async -> Void) {
    guard let program = ProgramFile() else { return nil }
    self.program = program
    self.action = action
    check = Timer(after: Self.settlingTime) { [weak self] in self?.watch() }
  }

  private func watch() {
    do {
      monitor = try FileMonitor(program.path) { [weak self] in self?.settle() }
    } catch {
      Log.notice("An upgrade of chappied will not be noticed: \(error as? GLibError ?? .timedOut).")
    }
    look()
  }

  private func settle() {
    check = Timer(after: Self.settlingTime) { [weak self] in self?.look() }
  }

  private func look() {
    guard program.isReplaced, let action = action.take() else { return }
    monitor = nil
    Task.onGLib { await action() }
  }

  /// Stops watching.
  func cancel() {
    action = nil
    monitor = nil
    check = nil
  }
}
