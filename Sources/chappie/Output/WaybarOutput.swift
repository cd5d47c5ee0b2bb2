// SPDX-License-Identifier: Apache-2.0
import Platform

/// The output of a custom module for waybar, and for panels that read the same JSON.
struct WaybarOutput {
  let text: String
  /// Selects the icon (`alt`) and the style (`class`).
  let kind: String
  let tooltip: String

  var json: JSONObject {
    var object = JSONObject()
    object.set("text", text)
    object.set("alt", kind)
    object.set("class", kind)
    object.set("tooltip", tooltip)
    return object
  }

  /// Whether the user has to do something, or cannot ask.
  var needsAttention: Bool {
    ["reauthentication-required", "reached", "limit-reached", "not-granted", "not-eligible"].contains(kind)
  }
}

/// A state that a panel shows, in its forms.
struct PanelState {
  let sentence: String
  let panel: WaybarOutput
  /// The members beside those of ``panel``.
  var properties = JSONObject()

  var json: JSONObject {
    var object = panel.json
    object.append(properties)
    return object
  }

  /// The service does not run.
  static var unavailable: PanelState {
    let sentence = tr("The service is not running")
    return PanelState(sentence: sentence, panel: WaybarOutput(text: "", kind: "unavailable", tooltip: sentence))
  }
}
