// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

#if FoundationTypes
  import FoundationEssentials
#endif

/// A document that a message shows the model: a PDF, an office document, a spreadsheet, or a text.
///
/// The backend reads it if the model takes files. Otherwise the model gets the text of the file, and of a PDF also
/// pictures of its first pages: ``ChappieResponse/files``.
public struct ChappieInputFile: Sendable, Hashable {
  /// The files of one conversation may have 50 MB together.
  public static let totalLimit = 50_000_000

  /// The name of the file, without its directory.
  public let name: String
  /// The content, as a `data:` address with its media type.
  public let url: String

  /// Creates a file from its content. Megabytes take a while.
  ///
  /// - Parameters:
  ///   - data: the content. A PDF is known by its first bytes, and text by being UTF-8; other documents by `name`.
  ///   - name: the name with its ending, such as `report.docx`.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for an empty file, more than ``totalLimit``, or another kind of
  ///   file.
  public init(data: [UInt8], name: String) throws(ChappieClientError) {
    let name = Self.shown(name)
    guard !data.isEmpty else { throw .invalidArgument("The file '\(name)' is empty.") }
    try Self.check(data.count)
    guard let type = Self.mediaType(of: data, name) else {
      throw .invalidArgument(
        "The file '\(name)' is no document that a model reads: give a PDF, an office document, a spreadsheet or UTF-8 text."
      )
    }
    self.name = name
    url = DataURL.make(type, data)
  }

  /// Creates a file from one on disk.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a file that cannot be read, and as ``init(data:name:)``.
  @GLibActor
  public init(file path: String) async throws {
    // Disks can be slow, and so is base64 for megabytes.
    let file = await offActor(deadline: .seconds(60)) { Result { try Self(reading: path) } }
    guard let file else { throw ChappieClientError.invalidArgument("The file \(path) was not read in time.") }
    self = try file.get()
  }

  #if FoundationTypes
    /// Creates a file from one on disk.
    ///
    /// - Parameter url: a `file:` address.
    /// - Throws: as ``init(file:)``.
    public init(url: URL) async throws {
      guard url.isFileURL else {
        throw ChappieClientError.invalidArgument("'\(Redaction.message(url.absoluteString))' names no file on disk.")
      }
      try await self.init(file: url.path)
    }

    /// Creates a file from its content, as ``init(data:name:)-(Array<UInt8>,_)`` does.
    public init(data: Data, name: String) throws(ChappieClientError) {
      try self.init(data: Array(data), name: name)
    }
  #endif

  private init(reading path: String) throws {
    let name = String(
      path[(path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex)...])
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: Self.totalLimit)
    } catch {
      throw ChappieClientError.invalidArgument("The file \(Self.shown(name)) cannot be used: \(error).")
    }
    try self.init(data: bytes, name: name)
  }

  /// Creates a file from a `data:` address, which may have the name as its parameter `name`.
  ///
  /// - Throws: as ``init(data:name:)``, and for an address that is none.
  package init(address: String) throws(ChappieClientError) {
    guard let (parameters, data) = DataURL.content(of: address) else {
      throw .invalidArgument(
        "'\(Redaction.message(String(address.prefix(64))))' is no file: give a path, or a data: address in base64.")
    }
    let name = parameters.first { $0.hasPrefix("name=") }?.dropFirst(5)
    try self.init(data: data, name: name.flatMap { PercentEncoding.decode(String($0)) } ?? "document")
  }

  /// The file as ``init(address:)`` takes it.
  package var address: String {
    let type = url.prefix { $0 != ";" }
    return type + ";name=\(PercentEncoding.encode(name))" + url[type.endIndex...]
  }

  /// Creates a file from what was checked when the message was made.
  package init(storedName: String, url: String) {
    name = storedName
    self.url = url
  }

  /// The size of the content, in bytes.
  var byteCount: Int { DataURL.byteCount(url) }

  /// The content.
  var data: [UInt8] { DataURL.content(of: url)?.data ?? [] }

  /// - Parameter count: the bytes of all files together.
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``
  static func check(_ count: Int) throws(ChappieClientError) {
    guard count <= totalLimit else {
      throw .limitExceeded(
        "The files have \((count + 999_999) / 1_000_000) MB, and \(totalLimit / 1_000_000) MB are allowed: "
          + "send fewer or smaller ones.")
    }
  }

  // MARK: Kinds

  enum Kind {
    case pdf
    case text
    /// The backend alone reads it.
    case office
  }

  var kind: Kind {
    if url.hasPrefix("data:\(Self.pdf);") { return .pdf }
    return url.hasPrefix("data:\(Self.text);") ? .text : .office
  }

  private static let pdf = "application/pdf"
  private static let text = "text/plain"
  private static let openDocument = "application/vnd.oasis.opendocument."
  private static let openXML = "application/vnd.openxmlformats-officedocument."
  /// The media types of documents that are not known by their content.
  private static let types = [
    "doc": "application/msword", "docx": openXML + "wordprocessingml.document", "odt": openDocument + "text",
    "ppt": "application/vnd.ms-powerpoint", "pptx": openXML + "presentationml.presentation",
    "xls": "application/vnd.ms-excel", "xlsx": openXML + "spreadsheetml.sheet", "ods": openDocument + "spreadsheet",
  ]

  private static func mediaType(of bytes: [UInt8], _ name: String) -> String? {
    // Some programs write a little before the first line.
    if bytes.prefix(1024).firstRange(of: Array("%PDF-".utf8)) != nil { return pdf }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
      return types[String(name.split(separator: ".").last ?? "").lowercased()]
    }
    let isText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
    return isText ? text : nil
  }

  /// A name that can be shown, of at most 255 bytes.
  private static func shown(_ name: String) -> String {
    let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator, .unassigned]
    var shown = name.unicodeScalars.filter { !hidden.contains($0.properties.generalCategory) && $0 != "/" }[...]
    while String(shown).utf8.count > 255 { shown.removeFirst() }
    return shown.isEmpty ? "document" : String(shown)
  }
}

/// Addresses that hold their content.
enum DataURL {
  static func make(_ type: String, _ bytes: [UInt8]) -> String {
    var url = "data:\(type);base64,"
    url.reserveCapacity(url.utf8.count + (bytes.count + 2) / 3 * 4)
    // Each part ends with a base64 group, so that no second copy of the whole is needed.
    for start in stride(from: 0, to: bytes.count, by: partSize) {
      url += Base64.encode(Array(bytes[start..<min(start + partSize, bytes.count)]))
    }
    return url
  }

  private static let partSize = 48 << 10

  /// The parameters and the content of an address in base64; nil for any other.
  static func content(of url: String) -> (parameters: [Substring], data: [UInt8])? {
    guard url.hasPrefix("data:"), let comma = url.utf8.firstIndex(of: UInt8(ascii: ",")) else { return nil }
    let parameters = url[..<comma].split(separator: ";")
    guard parameters.last == "base64", let data = Base64.decode(url.utf8[url.utf8.index(after: comma)...]) else {
      return nil
    }
    return (parameters.dropLast(), data)
  }

  /// The size of the content of an address from ``make(_:_:)``, in bytes.
  static func byteCount(_ url: String) -> Int {
    let text = url.utf8
    let start = text.firstIndex(of: UInt8(ascii: ",")).map(text.index(after:)) ?? text.endIndex
    return text.distance(from: start, to: text.endIndex) / 4 * 3 - text.suffix(2).count { $0 == UInt8(ascii: "=") }
  }
}
