import ChappieSDK
import ChappieService
import GLibBridge
import Glibc

/// `chappied`: the service.
@main
enum Chappied {
  static func main() {
    MemoryHygiene.enable()
    TLSEnvironment.forgetLeaks()
    // GLib writes log lines in the locale's charset, and names of accounts need not be ASCII.
    setlocale(LC_CTYPE, "C.UTF-8")
    let parser = CommandLineParser(
      summary: "Holds the ChatGPT sign-in in the desktop keyring and answers with it on the session bus, as "
        + "org.chappie.",
      details: "Options win over chappie/chappie.conf. See chappied(8) and org.chappie(7).")
    let issuer = parser.string("issuer", placeholder: "URL", "Where the user signs in")
    let backend = parser.string("backend", placeholder: "URL", "The …/backend-api that answers")
    let version = parser.flag("version", "Show the version")
    do {
      switch try parser.parse(CommandLine.arguments) {
      case .help(let text): StandardStream.output.write(text)
      case .arguments(let arguments) where arguments[version]:
        StandardStream.output.write("chappied \(ChappieVersion.current)\n")
      case .arguments(let arguments):
        let options = ServiceOptions(issuer: arguments[issuer], baseURL: arguments[backend])
        exit(MainLoop.run { await serve(options) })
      }
    } catch {
      StandardStream.error.write("chappied: \(error)\n")
      exit(2)
    }
  }

  /// Serves until a signal or the end of the bus, and returns the exit status.
  @GLibActor
  private static func serve(_ options: ServiceOptions) async -> Int32 {
    do {
      var options = options
      try options.readConfiguration()
      let connection = try await BusConnection.open(.session)
      let stop = Wait()
      connection.onClosed { stop.finish() }
      // Before anybody can see the service, and so end it.
      let signals = [SIGTERM, SIGINT].map { UnixSignalWatch($0) { stop.finish() } }
      let service = try await Service(connection, options)
      await stop.value()
      // A second one ends it at once.
      for signal in signals { signal.cancel() }
      await service.stop()
      return 0
    } catch {
      Log.error("The service cannot start: \((error as? GLibError)?.message ?? "\(error)")")
      return 1
    }
  }
}
