// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

#if FoundationTypes
  import FoundationEssentials
#endif

/// A document that a message shows the model: a PDF, an office document, a spreadsheet, or a text.
///
/// The backend reads it if the model takes files. Otherwise the model gets the text of the file, and of a PDF also
/// pictures of its first pages: ``ChappieResponse/filesForm``.
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
    guard !data.isEmpty else { throw .invalidArgument(en("The file '\(Redaction.message(name))' is empty.")) }
    try Self.check(data.count)
    guard let kind = Kind(data, name) else {
      throw .invalidArgument(
        en(
          """
          The file '\(Redaction.message(name))' is no document that a model reads: give a PDF, an office document, a \
          spreadsheet or UTF-8 text.
          """))
    }
    self.name = name
    url = DataURL.make(kind.mediaType, data)
  }

  /// Creates a file from one on disk.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a file that cannot be read, and as ``init(data:name:)``.
  @GLibActor
  public init(file path: String) async throws {
    // Disks can be slow, and so is base64 for megabytes.
    let file = await offActor(deadline: .seconds(60)) { Result { try Self(reading: path, Self.totalLimit) } }
    guard let file else {
      throw ChappieClientError.invalidArgument("The file '\(Redaction.message(path))' was not read in time.")
    }
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

  /// Blocks.
  ///
  /// - Parameter limit: the longest content, in bytes.
  package init(reading path: String, _ limit: Int) throws {
    let name = String(
      path[(path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex)...])
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: limit)
    } catch .tooLarge where limit < Self.totalLimit {
      throw ChappieClientError.invalidArgument(
        "The file '\(Redaction.message(name))' changed while it was read, or is no ordinary file.")
    } catch {
      throw ChappieClientError.invalidArgument("The file '\(Redaction.message(name))' cannot be used: \(error).")
    }
    try self.init(data: bytes, name: name)
  }

  /// Creates a file from a `data:` address, which may have the name as its parameter `name`.
  ///
  /// - Throws: as ``init(data:name:)``, and for an address that is none.
  package init(address: String) throws(ChappieClientError) {
    guard let (parameters, data) = DataURL.content(of: address) else {
      throw .invalidArgument(
        "'\(Redaction.message(String(address.prefix(64))))' is no file: give a path that begins with /, or a data: address in base64."
      )
    }
    let name = parameters.first { $0.hasPrefix("name=") }?.dropFirst(5)
    try self.init(data: data, name: name.flatMap { PercentEncoding.decode(String($0)) } ?? "document")
  }

  /// The file as ``init(address:)`` takes it.
  package var address: String {
    let type = url.prefix { $0 != ";" }
    return type + ";name=\(PercentEncoding.encode(name))" + url[type.endIndex...]
  }

  /// The size of the content, in bytes.
  public var byteCount: Int { DataURL.byteCount(url) }

  /// The content.
  var data: [UInt8] { DataURL.content(of: url)?.data ?? [] }

  /// The content of a file that is text; nil for other documents.
  package var text: String? { kind == .text ? String(decoding: data, as: UTF8.self) : nil }

  /// - Parameter count: the bytes of all files together.
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``
  static func check(_ count: Int) throws(ChappieClientError) {
    guard count <= totalLimit else {
      throw .limitExceeded(
        en(
          """
          The files have \((count + 999_999) / 1_000_000) MB, and \(totalLimit / 1_000_000) MB are allowed: send fewer \
          or smaller ones.
          """))
    }
  }

  // MARK: Kinds

  package enum Kind: Equatable {
    case pdf
    case text
    /// The backend alone reads it.
    case office(mediaType: String)

    private static let openDocument = "application/vnd.oasis.opendocument."
    private static let openXML = "application/vnd.openxmlformats-officedocument."
    /// The media types of documents that are not known by their content.
    private static let types = [
      "doc": "application/msword", "docx": openXML + "wordprocessingml.document", "odt": openDocument + "text",
      "ppt": "application/vnd.ms-powerpoint", "pptx": openXML + "presentationml.presentation",
      "xls": "application/vnd.ms-excel", "xlsx": openXML + "spreadsheetml.sheet", "ods": openDocument + "spreadsheet",
    ]

    /// Nil for another kind of file.
    package init?(_ bytes: [UInt8], _ name: String) {
      // Poppler looks for the mark of a PDF in the first 1,024 bytes.
      if bytes.prefix(1024).contains("%PDF-".utf8) {
        self = .pdf
      } else if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
        guard let type = Self.types[String(name.split(separator: ".").last ?? "").lowercased()] else { return nil }
        self = .office(mediaType: type)
      } else {
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { return nil }
        self = .text
      }
    }

    fileprivate init(mediaType: some StringProtocol) {
      self = Self.types.values.first { $0 == mediaType }.map { .office(mediaType: $0) } ?? .text
      if mediaType == Kind.pdf.mediaType { self = .pdf }
    }

    var mediaType: String {
      switch self {
      case .pdf: "application/pdf"
      case .text: "text/plain"
      case .office(let mediaType): mediaType
      }
    }
  }

  var kind: Kind { Kind(mediaType: url.dropFirst(5).prefix { $0 != ";" }) }

  /// A name that can be shown, of at most 255 bytes.
  private static func shown(_ name: String) -> String {
    let hidden: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    let seen = name.unicodeScalars.filter {
      !$0.isInvisible && !hidden.contains($0.properties.generalCategory) && $0 != "/"
    }
    // Of a long name the end counts: it tells the kind.
    var shown = seen.suffix(255)
    while String(shown).utf8.count > 255 { shown.removeFirst() }
    return shown.isEmpty ? "document" : String(shown)
  }
}

/// In JSON, `name` and `url`.
extension ChappieInputFile: JSONRecord, Codable {
  package static var subject: String { "the file" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    let url = try fields.require("url", fields.string("url"))
    guard url.hasPrefix("data:"), DataURL.head(of: url)?.hasSuffix(";base64") == true else {
      throw fields.wrong("url", "a data: address in base64")
    }
    name = Self.shown(try fields.require("name", fields.string("name")))
    self.url = url
  }

  package var jsonValue: ChappieJSONValue { ["name": .string(name), "url": .string(url)] }
}
