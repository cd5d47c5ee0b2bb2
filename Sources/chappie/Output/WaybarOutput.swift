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

  /// The line to show while the service does not run.
  static func unavailable(json: Bool) -> String {
    let sentence = tr("The service is not running")
    return json ? WaybarOutput(text: "", kind: "unavailable", tooltip: sentence).json.line : sentence
  }
}
