/// What a custom module of a panel shows, in the members that waybar's takes.
struct PanelText {
  let text: String
  /// What chooses its icon and its look.
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

  /// The line for a service that does not run.
  static func unavailable(json: Bool) -> String {
    let sentence = "The service is not running"
    return json ? PanelText(text: "", kind: "unavailable", tooltip: sentence).json.line : sentence
  }
}
