// SPDX-License-Identifier: Apache-2.0
import Platform

/// A state of the service that a panel shows, in its forms.
struct PanelState {
  let sentence: String
  /// The text in the panel.
  let text: String
  /// Selects the icon (waybar's `alt`) and the style (`class`).
  let kind: String
  let tooltip: String
  /// The members beside those that waybar takes.
  var properties: JSONObject = [:]

  /// The output of a custom module for waybar, and for panels that read the same JSON.
  var json: JSONObject {
    var object: JSONObject = ["text": text, "alt": kind, "class": kind, "tooltip": tooltip]
    object.append(properties)
    return object
  }

  /// A block in the protocol of i3bar and swaybar.
  var block: JSONObject {
    [
      "name": "chappie", "full_text": text.isEmpty ? sentence : text, "short_text": text,
      // The user has to do something, or cannot ask.
      "urgent": ["reauthentication-required", "reached", "limit-reached", "not-granted", "not-eligible"].contains(kind),
    ]
  }

  /// A state that a panel shows no text for.
  static func quiet(_ sentence: String, kind: String) -> PanelState {
    let sentence = sentence.terminalSafeLine
    return PanelState(sentence: sentence, text: "", kind: kind, tooltip: sentence)
  }

  /// The service does not run.
  static var unavailable: PanelState { quiet(tr("The service is not running"), kind: "unavailable") }
}
