// SPDX-License-Identifier: Apache-2.0
import ChappieSDKTesting
import GLibBridge
import Glibc
import Platform

/// Serves until a signal ends the process, and returns the exit status.
@GLibActor
func serve(_ options: Options) async -> Int32 {
  do {
    let backend = try StandInBackend(options.configuration)
    if let scenario = options.scenario { try backend.play(scenario) }
    StandardStream.output.write(
      """
      issuer \(backend.issuer)
      backend \(backend.baseURL)
      page \(backend.devicePage)

      """ + (options.configuration.publicURL.map { _ in "local \(backend.localAddress)\n" } ?? ""))
    _ = await UnixSignals.first(of: [SIGTERM, SIGINT])
    await backend.stop()
    return 0
  } catch {
    return fail(error, status: 1)
  }
}

/// Writes the error to standard error, and returns `status`.
func fail(_ error: any Error, status: Int32) -> Int32 {
  StandardStream.error.write("chappie-sandbox: \((error as? GLibError)?.message ?? "\(error)")\n")
  return status
}

do {
  switch try Options.read(CommandLine.arguments) {
  case .help(let text): StandardStream.output.write(text)
  case .serve(let options): exit(MainLoop.run { await serve(options) })
  }
} catch {
  exit(fail(error, status: 2))
}
