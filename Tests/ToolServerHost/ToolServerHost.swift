// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import GLibBridge
import Glibc

/// The program of a tool server with its settings as arguments, for tests. Standard input and output are sockets.
///
///   tool-server-host [--legacy] [--unboxed] [--network] [--directory PATH]… [--log FILE] -- COMMAND…
@main
enum ToolServerHost {
  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    var (isLegacy, isBoxed, network) = (false, true, false)
    var directories: [ChappieMCPConfiguration.Directory] = []
    var log: String?
    while let option = arguments.popFirst(), option != "--" {
      switch option {
      case "--legacy": isLegacy = true
      case "--unboxed": isBoxed = false
      case "--network": network = true
      case "--directory": directories.append(.init(path: arguments.popFirst() ?? "", isWritable: true))
      case "--log": log = arguments.popFirst()
      default: exit(2)
      }
    }
    let configuration = ChappieMCPConfiguration(
      name: "test", command: Array(arguments),
      box: isBoxed ? .boxed(network: network, directories: directories) : .unboxed)
    exit(await run(configuration, log, isLegacy))
  }

  @GLibActor
  private static func run(_ configuration: ChappieMCPConfiguration, _ log: String?, _ isLegacy: Bool) async -> Int32 {
    await ToolServerProgram.run({ configuration }, log: log.map(ToolLogWriter.init), isLegacy: isLegacy)
  }
}
