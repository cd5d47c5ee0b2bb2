// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct DocumentPagesTests {
  @Test(arguments: [
    ("Title: x\nPages:           12\nEncrypted:       no\n", 12), ("Pages: 1", 1),
    // The document's title comes before the true number.
    ("Title: y\nPages: 7\nAuthor: z\nPages:           2\n", 2),
    ("", nil), ("Pages:", nil), ("Pages: 0\n", nil), ("Pages: -1\n", nil), ("Pages: 1000001\n", nil),
    ("Pages: 99999999999999999999\n", nil), ("Pages: 1 2\n", nil), (" Pages: 1\n", nil),
  ])
  func theNumberOfPages(_ info: String, _ count: Int?) {
    #expect(DocumentPages.count(Array(info.utf8)) == count)
  }

  @Test func aPageEndsWithAFormFeed() {
    #expect(DocumentPages.pages(Array("\none\n two \n\n\u{C}\u{C}half".utf8)) == ["one\n two", ""])
    #expect(DocumentPages.pages([]) == [])
    // Control characters and wrong bytes are no text.
    #expect(DocumentPages.pages([0x61, 0x00, 0x1B, 0x7F, 0x09, 0x62, 0xFF, 0x0C]) == ["a\tb\u{FFFD}"])
    #expect(DocumentPages.pages(Array("half".utf8)) == [])
  }

  @Test func theTextNamesThePages() {
    #expect(
      DocumentPages.text(["one", ""], pictures: [1, 2, 4], pageCount: 4) == """
        Page 1

        one

        Page 2 has no text.

        The text of pages 3 to 4 is left out.

        Pictures of pages: 1 to 2, 4.
        """)
    #expect(
      DocumentPages.text([], pictures: [], pageCount: 1) == """
        The text of page 1 is left out.

        There is no picture of a page.
        """)
  }
}
