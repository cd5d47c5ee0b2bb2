// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The result of a call, for the model.
package struct MCPOutput: Sendable, Hashable {
  /// The most bytes of text that the model gets.
  private static let textLimit = 128 << 10
  private static let imageLimit = 4

  package let text: String
  package let images: [ChappieImage]
  /// Whether the tool says that it failed.
  package let isFailure: Bool
}

extension MCPOutput {
  /// Reads the result of `tools/call`. What a model cannot read is named.
  init(_ result: ChappieJSONValue) {
    isFailure = result["isError"] == true
    var texts: [String] = []
    var images: [ChappieImage] = []
    for part in result["content"]?.arrayValue ?? [] {
      guard part["type"] == "image", let image = Self.image(part) else {
        texts.append(Self.text(part))
        continue
      }
      if images.count == Self.imageLimit
        || images.reduce(image.url.utf8.count, { $0 + $1.url.utf8.count }) > ChappieImage.fileLimit
      {
        texts.append(
          "[left out: an image beyond \(Self.imageLimit), or beyond \(ChappieImage.fileLimit >> 20) MiB in all]")
      } else {
        images.append(image)
      }
    }
    // It says the same as the text where there is one.
    if texts.isEmpty, images.isEmpty, let value = result["structuredContent"], !value.isNull { texts = [value.json] }
    text = ForeignText.clean(texts.joined(separator: "\n"), limit: Self.textLimit)
    self.images = images
  }

  /// The text of a part that is no usable image.
  private static func text(_ part: ChappieJSONValue) -> String {
    switch part["type"]?.stringValue {
    case "text": part["text"]?.stringValue ?? ""
    case "image": "[left out: an image that cannot be used]"
    case "audio": "[left out: a recording of \(size(part["data"])) bytes]"
    case "resource_link":
      "[\(ForeignText.line(part["name"]?.stringValue ?? "a resource"))]: "
        + ForeignText.line(part["uri"]?.stringValue ?? "")
    case "resource": resource(part["resource"] ?? .null)
    default: "[left out: a part of an unknown kind]"
    }
  }

  private static func image(_ json: ChappieJSONValue) -> ChappieImage? {
    guard let data = json["data"]?.stringValue, data.utf8.count / 4 * 3 <= ChappieImage.fileLimit else { return nil }
    // Its bytes tell the type, and not the server.
    return Base64.decode(data.utf8).flatMap { ChappieImage(bytes: $0) }
  }

  private static func resource(_ json: ChappieJSONValue) -> String {
    let name = ForeignText.line(json["uri"]?.stringValue ?? "a resource")
    if let text = json["text"]?.stringValue { return "\(name):\n\(text)" }
    return "[left out: \(name), \(size(json["blob"])) bytes]"
  }

  private static func size(_ base64: ChappieJSONValue?) -> Int { (base64?.stringValue?.utf8.count ?? 0) / 4 * 3 }
}
