import Platform

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
