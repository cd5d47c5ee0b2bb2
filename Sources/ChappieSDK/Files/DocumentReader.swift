// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A PDF as text and pictures of its pages.
struct DocumentContent: Sendable {
  /// The text of the pages, each below a line such as "Page 3". It ends with sentences that say which pages were left
  /// out, and which have a picture.
  let text: String
  /// Pictures of the first pages, in their order.
  let pictures: [ChappieImage]
  /// How long it was read.
  let time: Duration

  /// The approximate memory, in bytes.
  var footprint: Int { text.utf8.count + pictureBytes }
  var pictureBytes: Int { pictures.reduce(0) { $0 + $1.url.utf8.count } }
}

/// Reads PDF documents for models that take no files.
///
/// The programs of Poppler read the document, each in a sandbox: see ``DocumentSandbox``. Nothing is written to a disk.
@GLibActor
enum DocumentReader {
  /// The longest time for the documents of one turn. What was not read by then is left out.
  nonisolated static let timeLimit = Duration.seconds(30)
  /// The number of pages whose text is read.
  nonisolated static let textPages = 200
  /// The longest text of all pages, in bytes. It ends with a whole page.
  nonisolated static let textLimit = 1 << 20
  /// The number of pages that get a picture.
  nonisolated static let picturePages = 10
  /// The longer side of a picture, in pixels.
  nonisolated static let pictureSide = 1000
  /// The longest picture, in bytes. All of a document together are within ``ChappieImage/messageLimit``.
  nonisolated static let pictureLimit = ChappieImage.messageLimit / 4 * 3 / picturePages - 1024
  private static let queue = DocumentQueue()

  /// What the documents of one turn may take together.
  struct Limits {
    /// The pictures, in bytes as they are sent.
    var pictures = ChappieImage.messageLimit
    var time = timeLimit

    /// Takes away what a document took.
    ///
    /// - Parameter wasRead: whether it was read for this turn.
    mutating func take(_ content: DocumentContent, wasRead: Bool) {
      pictures -= content.pictureBytes
      if wasRead { time -= content.time }
    }
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - bytes: a PDF, by its first bytes.
  ///   - name: the document's name in error messages.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a document that has no page, is encrypted or damaged, or
  ///   cannot be read on this machine; ``ChappieClientError/limitExceeded(_:)`` for more documents at once than
  ///   ``DocumentQueue`` takes; `CancellationError`.
  static func read(_ bytes: [UInt8], name: String, _ limits: Limits = Limits()) async throws -> DocumentContent {
    let name = Redaction.message(name)
    return try await queue.inTurn(name: name) { try await Reading(name: name, limits: limits).read(bytes) }
  }
}

/// The reading of one document.
@GLibActor
private struct Reading {
  let name: String
  let limits: DocumentReader.Limits
  let start = ContinuousClock.now

  private var timeLeft: Duration { start + limits.time - .now }

  func read(_ bytes: [UInt8]) async throws -> DocumentContent {
    if let package = DocumentSandbox.missingPackage { throw impossible(.missing(package: package)) }
    guard timeLeft > .zero else { throw late }
    let copy = await offActor(deadline: timeLeft) { Result { try Descriptor.sealed(bytes) } }
    guard let copy else { throw late }
    let document: Descriptor
    do {
      document = try copy.get()
    } catch {
      throw cannotRead("\(error)")
    }
    let pageCount = try await pageCount(of: document)
    let pages = try await pages(of: document).prefix(pageCount)
    var pictures: [(page: Int, picture: ChappieImage)] = []
    var room = limits.pictures
    for page in 1...min(pageCount, DocumentReader.picturePages) {
      guard room > 0, let picture = try await picture(of: document, page: page) else { continue }
      room -= picture.url.utf8.count
      guard room >= 0 else { break }
      pictures.append((page, picture))
    }
    Log.info(
      """
      a document of \(pageCount) pages was read: \(pages.count) pages of text, \(pictures.count) pictures, \
      \(ContinuousClock.now - start)
      """)
    guard !pictures.isEmpty || pages.contains(where: { !$0.isEmpty }) else {
      throw timeLeft > .zero ? noContent : late
    }
    let text = DocumentPages.text(Array(pages), pictures: pictures.map(\.page), pageCount: pageCount)
    return DocumentContent(text: text, pictures: pictures.map(\.picture), time: .now - start)
  }

  private func pageCount(of document: Descriptor) async throws -> Int {
    let outcome = try await run(["pdfinfo", DocumentSandbox.input], on: document, outputLimit: 64 << 10)
    switch outcome.end {
    case .outOfTime: throw late
    case .failed, .outputTooLong:
      if let obstacle = DocumentSandbox.obstacle(in: outcome) { throw impossible(obstacle) }
      let errors = String(decoding: outcome.errors, as: UTF8.self)
      if errors.contains("Incorrect password") {
        throw ChappieClientError.invalidArgument(
          en("The document \(name) is encrypted: save a copy that needs no password."))
      }
      if errors.contains("Wrong page range") {
        throw ChappieClientError.invalidArgument(en("The document \(name) has no page."))
      }
      throw unreadable
    case .succeeded:
      guard let count = DocumentPages.count(outcome.output) else { throw unreadable }
      return count
    }
  }

  /// The text of the first pages.
  private func pages(of document: Descriptor) async throws -> ArraySlice<String> {
    let command = ["pdftotext", "-q", "-enc", "UTF-8", "-eol", "unix", "-l", "\(DocumentReader.textPages)"]
    let outcome = try await run(
      command + [DocumentSandbox.input, "-"], on: document, outputLimit: DocumentReader.textLimit)
    let pages = await offActor { DocumentPages.pages(outcome.output) }
    return pages.prefix(DocumentReader.textPages)
  }

  /// A picture of a page; nil when the page cannot be shown within the bounds.
  private func picture(of document: Descriptor, page: Int) async throws -> ChappieImage? {
    guard timeLeft > .zero else { return nil }
    let options = ["-singlefile", "-scale-to", "\(DocumentReader.pictureSide)", "-f", "\(page)", "-l", "\(page)"]
    let outcome = try await run(
      ["pdftoppm", "-q", "-jpeg"] + options + [DocumentSandbox.input], on: document,
      outputLimit: DocumentReader.pictureLimit)
    guard outcome.end == .succeeded, ChappieImage.mediaType(of: outcome.output) == "image/jpeg" else { return nil }
    return await offActor { ChappieImage(bytes: outcome.output) }
  }

  private func run(_ program: [String], on document: Descriptor, outputLimit: Int) async throws -> FileFilter.Outcome {
    do {
      return try await DocumentSandbox.run(program, on: document, outputLimit: outputLimit, deadline: timeLeft)
    } catch let error as GLibError where error.isTimeout {
      throw unreadable
    } catch let error as GLibError {
      // The program did not run.
      throw cannotRead(error.message)
    }
  }

  private func cannotRead(_ reason: String) -> ChappieClientError {
    .invalidArgument(en("The document \(name) cannot be read on this machine: \(reason)."))
  }

  private func impossible(_ obstacle: DocumentSandbox.Obstacle) -> ChappieClientError {
    let sentence =
      switch obstacle {
      case .missing(let package):
        en("The document \(name) cannot be read on this machine: install the package \(package).")
      case .broken(let package):
        en("The document \(name) cannot be read on this machine: the programs of the package \(package) do not start.")
      case .noSandbox: en("The document \(name) cannot be read on this machine: bubblewrap can make no sandbox here.")
      }
    return .invalidArgument(sentence)
  }

  private var unreadable: ChappieClientError {
    .invalidArgument(en("The document \(name) is damaged, or takes more memory or time than is allowed to read."))
  }

  private var late: ChappieClientError {
    .invalidArgument(en("The document \(name) was not read in time: send fewer pages."))
  }

  private var noContent: ChappieClientError {
    .invalidArgument(en("The document \(name) has no text, and none of its pages can be shown."))
  }
}
