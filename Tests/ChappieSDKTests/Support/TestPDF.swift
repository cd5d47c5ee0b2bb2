// SPDX-License-Identifier: Apache-2.0

/// Writes PDF documents, also hostile ones.
struct TestPDF {
  /// The objects in their order, from number 1 on. The first one is the catalogue.
  var objects: [[UInt8]]
  var trailer = ""

  /// A document with these content streams as pages.
  ///
  /// - Parameters:
  ///   - size: width and height of each page, in points.
  ///   - resources: of each page, which has the font `F1`.
  ///   - extra: objects from number 4 on.
  init(contents: [String], size: (Int, Int) = (612, 792), resources: String = "", extra: [[UInt8]] = []) {
    let first = 4 + extra.count
    let kids = contents.indices.map { "\(first + 2 * $0) 0 R" }.joined(separator: " ")
    objects = [
      Array("<</Type/Catalog/Pages 2 0 R>>".utf8),
      Array("<</Type/Pages/Count \(contents.count)/Kids[\(kids)]>>".utf8),
      Array("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".utf8),
    ]
    objects += extra
    for (index, content) in contents.enumerated() {
      let page = """
        <</Type/Page/Parent 2 0 R/MediaBox[0 0 \(size.0) \(size.1)]/Contents \(first + 2 * index + 1) 0 R\
        /Resources<</Font<</F1 3 0 R>>\(resources)>>>>
        """
      objects += [Array(page.utf8), Self.stream(Array(content.utf8))]
    }
  }

  var bytes: [UInt8] {
    var bytes = Array("%PDF-1.7\n".utf8)
    var offsets: [Int] = []
    for (index, object) in objects.enumerated() {
      offsets.append(bytes.count)
      bytes += Array("\(index + 1) 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
    }
    let start = bytes.count
    bytes += Array("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8)
    for offset in offsets {
      let digits = String(offset)
      bytes += Array((String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n").utf8)
    }
    let end = "trailer\n<</Size \(objects.count + 1)/Root 1 0 R\(trailer)>>\nstartxref\n\(start)\n%%EOF\n"
    return bytes + Array(end.utf8)
  }

  static func stream(_ content: [UInt8], _ dictionary: String = "") -> [UInt8] {
    Array("<<\(dictionary)/Length \(content.count)>>stream\n".utf8) + content + Array("\nendstream".utf8)
  }

  /// A content stream that writes lines.
  static func lines(_ lines: [String]) -> String {
    "BT /F1 12 Tf 14 TL 50 750 Td " + lines.map { "(\($0)) Tj T*" }.joined(separator: " ") + " ET"
  }

  static func text(_ text: String) -> TestPDF { TestPDF(contents: [lines([text])]) }

  static var encrypted: TestPDF {
    var document = text("secret")
    let key = String(repeating: "41", count: 32)
    document.trailer = "/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -1/O<\(key)>/U<\(key)>>>/ID[<00><00>]"
    return document
  }

  /// A scan: a grey image that fills the page.
  static var imageOnly: TestPDF {
    let image = "/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray"
    return TestPDF(
      contents: ["q 612 0 0 792 0 0 cm /I Do Q"], resources: "/XObject<</I 4 0 R>>",
      extra: [stream([0, 80, 160, 240], image)])
  }

  /// Forms that draw each other twice: 2 to the power of 40 drawings.
  static var timeBomb: TestPDF {
    let form = "/Type/XObject/Subtype/Form/BBox[0 0 600 600]"
    let forms = (5...43).map { stream(Array("/I Do /I Do".utf8), "\(form)/Resources<</XObject<</I \($0) 0 R>>>>") }
    return TestPDF(
      contents: ["/I Do"], resources: "/XObject<</I 4 0 R>>",
      extra: forms + [stream(Array("0 0 9 9 re f".utf8), form)])
  }

  /// A font of a gigabyte, in 6 megabytes.
  static var memoryBomb: TestPDF {
    let font = "<</Type/Font/Subtype/TrueType/BaseFont/B/FirstChar 32/LastChar 32/Widths[9]/FontDescriptor 5 0 R>>"
    let descriptor = """
      <</Type/FontDescriptor/FontName/B/Flags 32/FontBBox[0 0 9 9]/ItalicAngle 0/Ascent 9/Descent 0/CapHeight 9/StemV 9\
      /FontFile2 6 0 R>>
      """
    return TestPDF(
      contents: ["BT /F2 12 Tf 50 700 Td (words) Tj ET"], resources: "/Font<</F2 4 0 R>>",
      extra: [
        Array(font.utf8), Array(descriptor.utf8), stream(zeros(gibibytes: 1), "/Filter/FlateDecode/Length1 1073741824"),
      ])
  }

  /// Zeros as zlib compresses them: a literal, then copies of 258 bytes in 13 bits each. 8 copies have 13 whole bytes.
  private static func zeros(gibibytes: Int) -> [UInt8] {
    let copies: [UInt8] = [0x05, 0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18]
    let count = (gibibytes << 30) / (258 * 8)
    return [0x78, 0x01, 0x63, 0x18] + Array(repeatElement(copies, count: count).joined())
  }
}
