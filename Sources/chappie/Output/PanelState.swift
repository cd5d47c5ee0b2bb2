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
    case .i3bar: "[\(state.block.line)],"
    }
  }
}
