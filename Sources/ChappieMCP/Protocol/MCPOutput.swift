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

  package init(text: String, images: [ChappieImage], isFailure: Bool) {
    self.text = text
    self.images = images
    self.isFailure = isFailure
  }

  /// Reads the result of `tools/call`. What a model cannot read is named.
  init(_ result: ChappieJSONValue) {
    isFailure = result["isError"] == true
    var texts: [String] = []
    var images: [ChappieImage] = []
    for part in result["content"]?.arrayValue ?? [] {
      switch Self.part(part) {
      case .text(let text): texts.append(text)
      case .image(let image)
      where images.count == Self.imageLimit
        || images.reduce(image.url.utf8.count) { $0 + $1.url.utf8.count } > ChappieImage.fileLimit:
        texts.append(
          "[left out: an image beyond \(Self.imageLimit), or beyond \(ChappieImage.fileLimit >> 20) MiB in all]")
      case .image(let image): images.append(image)
      }
    }
    // It says the same as the text where there is one.
    if texts.isEmpty, images.isEmpty, let value = result["structuredContent"], !value.isNull { texts = [value.json] }
    text = ForeignText.clean(texts.joined(separator: "\n"), limit: Self.textLimit)
    self.images = images
  }

  private enum Part {
    case text(String)
    case image(ChappieImage)
  }

  private static func part(_ json: ChappieJSONValue) -> Part {
    switch json["type"]?.stringValue {
    case "text": .text(json["text"]?.stringValue ?? "")
    case "image":
      image(json).map { .image($0) } ?? .text("[left out: an image that cannot be used]")
    case "audio": .text("[left out: a recording of \(size(json["data"])) bytes]")
    case "resource_link":
      .text(
        "[\(ForeignText.line(json["name"]?.stringValue ?? "a resource"))]: "
          + ForeignText.line(json["uri"]?.stringValue ?? ""))
    case "resource": .text(resource(json["resource"] ?? .null))
    default: .text("[left out: a part of an unknown kind]")
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
