// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The form of the lines of `chappie monitor`.
enum MonitorFormat: Sendable {
  /// A sentence.
  case sentence
  /// An object, for waybar's custom module.
  case json
  /// An array of one block, in the protocol of i3bar and swaybar.
  case i3bar

  /// The line before the first one.
  var head: String? {
    switch self {
    case .sentence, .json: nil
    // The array that has no end, which is the protocol's way.
    case .i3bar: #"{"version":1}"# + "\n["
    }
  }

  func line(_ state: PanelState) -> String {
    switch self {
    case .sentence: state.sentence
    case .json: state.json.line
    case .i3bar: "[\(block(state).line)],"
    }
  }

  private func block(_ state: PanelState) -> JSONObject {
    var block = JSONObject()
    block.set("name", "chappie")
    block.set("full_text", state.panel.text.isEmpty ? state.sentence : state.panel.text)
    block.set("short_text", state.panel.text)
    block.set("urgent", state.panel.needsAttention)
    return block
  }
}

/// A state of the service that `chappie monitor` shows as a line.
@GLibActor
protocol MonitorSource: AnyObject {
  /// Finds its objects in the service, and starts the service if it does not run. Each start of the service makes new
  /// objects.
  func attach() async throws

  /// Whether the line depends on this object.
  func depends(on path: ObjectPath) -> Bool

  /// The state now.
  func state() async throws -> PanelState
}
