// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

extension ToolApproval {
  /// The policy for the calls of a tool.
  ///
  /// The user's word about the tool counts first, then that about its server. Where the user trusts the server, the
  /// annotations of the tool decide, and it asks until it ran once.
  package func policy(of tool: MCPTool, _ entry: ToolServerEntry) -> ChappieToolPolicy {
    if let policy = entry.toolPolicies[bytesOf: tool.name] { return policy }
    guard entry.policy == .automatic else { return entry.policy }
    return tool.annotations.policy == .automatic && used.contains(tool.name) && isApproved(tool) ? .automatic : .ask
  }
}

extension MCPTool.Annotations {
  /// The policy for a server that the user trusts, by the rule of Codex.
  package var policy: ChappieToolPolicy {
    if isDestructive == true { return .ask }
    if isReadOnly == true { return .automatic }
    return isDestructive == false && isOpenWorld == false ? .automatic : .ask
  }
}
