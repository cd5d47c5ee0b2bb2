// SPDX-License-Identifier: Apache-2.0

// The input is a caller's options: GVariant's serialised form, or its text if the input starts with a brace. All input
// is decoded or refused.

import GLibBridge

@testable import ChappieSDK
@testable import ChappieService

private func dictionary(_ input: [UInt8]) -> VariantDictionary? {
  guard input.first == UInt8(ascii: "{") else {
    return try? VariantDictionary(variant: Variant(bytes: input, type: "a{sv}"))
  }
  let text = String(decoding: input.prefix { $0 != 0 }, as: UTF8.self)
  return (try? Variant(parsing: text, type: "a{sv}")).flatMap { try? VariantDictionary(variant: $0) }
}

private func check(_ configuration: ChappieConfiguration) {
  for retry in [0, 1, 100] {
    guard let delay = configuration.rateLimitBackoff.delay(beforeRetry: retry, retryAfter: nil) else { continue }
    precondition(Duration.seconds(delay) >= .zero)
  }
  for name in [configuration.keychainService, configuration.keychainAccount, configuration.model] {
    precondition((1...255).contains(name.utf8.count))
    precondition(ObjectPath(ObjectPath.root.appending(name).string) != nil, "not a path")
  }
  let again = try? ChappieConfiguration(configuration.dictionary, defaults: ChappieConfiguration())
  precondition(again?.keychainAccount == configuration.keychainAccount, "its own dictionary is refused")
  _ = configuration.harness.rendered
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let options = dictionary(input) else { return 0 }
  if let again = try? VariantDictionary(variant: options.variant) {
    precondition(again.keys == options.keys)
  } else {
    preconditionFailure("a dictionary is refused when it is read back")
  }
  if let configuration = try? ChappieConfiguration(options, defaults: ChappieConfiguration()) { check(configuration) }
  _ = try? TurnOptions(options)
  return 0
}
