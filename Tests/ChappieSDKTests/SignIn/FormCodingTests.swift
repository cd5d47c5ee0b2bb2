// SPDX-License-Identifier: Apache-2.0
import SecretMemory
import Testing

@testable import ChappieSDK

struct FormCodingTests {
  @Test(arguments: [
    ("", ""), ("AZaz09-._~", "AZaz09-._~"), ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"),
    ("%41", "%2541"),
    ("ä€😀", "%C3%A4%E2%82%AC%F0%9F%98%80"), ("\0\n\u{7F}", "%00%0A%7F"), ("*'()!", "%2A%27%28%29%21"),
    ("https://auth.openai.com/deviceauth/callback", "https%3A%2F%2Fauth.openai.com%2Fdeviceauth%2Fcallback"),
  ])
  func escapesReservedCharacters(_ text: String, _ escaped: String) {
    #expect(FormCoding.escape(text) == escaped)
    #expect(FormCoding.escape(SecretBytes(text.utf8)).text == escaped)
  }
}
