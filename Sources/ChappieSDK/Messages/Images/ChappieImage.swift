// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// An image that a message shows the model.
public struct ChappieImage: Sendable, Hashable, Codable {
  /// The longest file, in bytes.
  public static let fileLimit = 8 << 20
  /// The images of one message, and in the service the files with them, in bytes of Base64, which takes a third more
  /// than the file.
  package static let messageLimit = 12 << 20

  /// An `https:` address, or a `data:` address with the image itself.
  public let url: String

  /// - Parameter url: an `https:` address, or `data:image/…`.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for any other address.
  public init(url: String) throws(ChappieClientError) {
    let isPicture = url.hasPrefix("data:image/") || ParsedURL(web: url)?.scheme == "https"
    guard isPicture else {
      throw .invalidArgument(en("'\(Redaction.message(url))' is no image: give an https: address, or data:image/…."))
    }
    self.url = url
  }

  /// Creates an image from an address that was checked when the message was made.
  package init(stored url: String) {
    self.url = url
  }

  /// Creates an image from a PNG, JPEG, GIF or WebP file's bytes; nil for other bytes. Megabytes take a while.
  package init?(bytes: [UInt8]) {
    guard let type = Self.mediaType(of: bytes) else { return nil }
    url = DataURL.make(type, bytes)
  }

  /// Creates an image from a PNG, JPEG, GIF or WebP file.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a file that cannot be read, is longer than ``fileLimit``,
  ///   or is not an image.
  @GLibActor
  public init(file path: String) async throws {
    // Disks can be slow, and so is base64 for megabytes.
    let image = await offActor(deadline: .seconds(30)) { Result { try Self(reading: path) } }
    guard let image else { throw ChappieClientError.invalidArgument(en("The image \(path) was not read in time.")) }
    self = try image.get()
  }

  /// Blocks.
  package init(reading path: String) throws {
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: Self.fileLimit)
    } catch {
      throw ChappieClientError.invalidArgument(en("The image \(path) cannot be used: \(error)."))
    }
    guard let image = Self(bytes: bytes) else {
      throw ChappieClientError.invalidArgument(en("The file \(path) is no PNG, JPEG, GIF or WebP image."))
    }
    self = image
  }

  /// The media type from the first bytes, independent of the file's name.
  static func mediaType(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return "image/gif" }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    return nil
  }
}
