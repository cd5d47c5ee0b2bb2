// SPDX-License-Identifier: Apache-2.0

// The input is what Poppler's programs write about a hostile document: the same bytes are read as the output of pdfinfo
// and as that of pdftotext. A page count is in its range, each page is text without control characters, the pages do not
// depend on what comes behind them, and the text for the model names what is left out.

@testable import ChappieSDK

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let claimed = DocumentPages.count(input)
  precondition(claimed.map { (1...DocumentPages.countLimit).contains($0) } ?? true, "a count is out of range")

  let pages = DocumentPages.pages(input)
  precondition(pages.count == input.count { $0 == 0x0C }, "a form feed ends no page")
  for page in pages {
    let isText = page.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x09 }
    precondition(isText, "a control character is left")
  }
  precondition(DocumentPages.pages(input + [0x61]) == pages, "an incomplete page counts")

  let pageCount = max(claimed ?? 1, pages.count, 1)
  let pictures = input.prefix(10).enumerated().filter { $1 % 2 == 0 }.map { $0.offset + 1 }
  let text = DocumentPages.text(pages, pictures: pictures, pageCount: pageCount)
  precondition(pages.isEmpty || text.hasPrefix("Page 1"), "a page has no name")
  precondition(pages.count == pageCount || text.contains("left out"), "pages are left out in silence")
  return 0
}
