// SPDX-License-Identifier: Apache-2.0

// The input is a file with servers: chappie/tools.json, and the same bytes as a file of an editor and of Codex. What is
// read comes back the same from what is written, and of the first file passes its own check.

@testable import ChappieMCP
@testable import ChappieSDK

private func check(_ entry: ToolServerEntry) {
  precondition(ChappieMCPConfiguration.isName(entry.configuration.name), "a name that is a path")
  precondition(entry.configuration.command.first?.isEmpty == false, "no command")
  precondition((.seconds(1) ... .seconds(3600)).contains(entry.configuration.callTimeout))
  let again = try? ToolServerEntry(name: entry.configuration.name, entry.json(over: .object([:])))
  precondition(again == entry, "a server changes when it is written")
}

private func imported(_ input: [UInt8], isTOML: Bool) {
  for server in (try? ServerImport(input, isTOML: isTOML))?.servers ?? [] {
    guard let entry = try? server.entry.get() else { continue }
    check(entry)
    precondition(entry.policy == .ask && entry.toolPolicies.values.allSatisfy { $0 == .deny }, "an import allows calls")
    guard case .boxed(false, let directories) = entry.configuration.box, !directories.contains(where: \.isWritable)
    else {
      preconditionFailure("an import gives rights")
    }
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  for entry in (try? ToolsFile(input, path: "tools.json"))?.servers ?? [] {
    check(entry)
    precondition((try? entry.configuration.check(directories: false)) != nil, "a server without a check")
  }
  imported(input, isTOML: false)
  imported(input, isTOML: true)
  let text = String(decoding: input, as: UTF8.self)
  if let json = try? ChappieJSONValue(json: text) {
    precondition(
      (try? ChappieJSONValue(json: RelaxedJSON.strict(text))) == json, "JSON is read otherwise than by itself")
  }
  return 0
}
