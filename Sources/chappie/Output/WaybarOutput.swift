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
