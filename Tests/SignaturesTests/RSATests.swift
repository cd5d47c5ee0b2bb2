// SPDX-License-Identifier: Apache-2.0
import Signatures
import Signing
import Testing

/// RSA signatures, against those of another library.
@Suite struct RSATests {
  private let key = RSAPublicKey(modulus: Vectors.modulus, exponent: Vectors.exponent)

  @Test func acceptsTheSignatureOfOpenSSLAndNoChange() {
    #expect(key.verifies(Vectors.signature, of: Vectors.message))
    for index in [0, 100, 255] {
      var changed = Vectors.signature
      changed[index] ^= 1
      #expect(!key.verifies(changed, of: Vectors.message))
    }
    #expect(!key.verifies(Vectors.signature, of: Vectors.message + [0]))
    #expect(!key.verifies(Vectors.signature + [0], of: Vectors.message))
    #expect(!key.verifies([], of: Vectors.message))
    var modulus = Vectors.modulus
    modulus[17] ^= 1
    #expect(
      !RSAPublicKey(modulus: modulus, exponent: Vectors.exponent).verifies(Vectors.signature, of: Vectors.message))
  }

  @Test func refusesWhatIsNoKeyOrTooShort() {
    let short = RSAPublicKey(modulus: Vectors.shortModulus, exponent: Vectors.exponent)
    #expect(!short.verifies(Vectors.shortSignature, of: Vectors.message))
    for (modulus, exponent) in [
      ([], []), ([0], [0]), (Vectors.modulus, []), (Vectors.modulus, [0]), ([], Vectors.exponent),
      ([UInt8](repeating: 0, count: 256), Vectors.exponent), (Vectors.modulus, [UInt8](repeating: 255, count: 256)),
    ] as [([UInt8], [UInt8])] {
      #expect(!RSAPublicKey(modulus: modulus, exponent: exponent).verifies(Vectors.signature, of: Vectors.message))
    }
  }

  /// The same numbers, written longer than anybody needs.
  @Test func refusesNumbersThatOnlyCostTime() {
    for (modulus, exponent, isTaken) in [(1, 1, true), (1024, 0, false), (0, 8, false)] {
      let key = RSAPublicKey(
        modulus: [UInt8](repeating: 0, count: modulus) + Vectors.modulus,
        exponent: [UInt8](repeating: 0, count: exponent) + Vectors.exponent)
      #expect(key.verifies(Vectors.signature, of: Vectors.message) == isTaken)
    }
  }

  @Test func aNewKeySignsWhatItsPublicKeyVerifies() throws {
    let (key, other) = (try RSAPrivateKey(), try RSAPrivateKey())
    let signature = try key.signature(of: Vectors.message)
    #expect(key.publicKey.modulus.count == 256)
    #expect(key.publicKey.verifies(signature, of: Vectors.message))
    #expect(!other.publicKey.verifies(signature, of: Vectors.message))
  }
}

/// Keys and signatures of the message `header.claims` that the OpenSSL command made.
enum Vectors {
  static let message = Array("header.claims".utf8)
  static let exponent: [UInt8] = [1, 0, 1]

  static let modulus = bytes(
    "b207d460d2c3f45493799e3cf9d1eb18563275fa24dce84a1e6f428b53fbdb13720666bf1bebf97d8ef7ca4af85eb40e"
      + "436dae545ab179ad7b3bbcd5109069c40489acb3de9475debf4a4a017fc46ee56d58b579da795571f7aa156cf9c4385b"
      + "6f2de9f9f18e52695747149ecd2fe50c90bafb341564973670fc5e5b26c0ae746c80b0d4b9b45604222da578bca13ec0"
      + "b3826f9b0cf3f68ea0163dd589db632c70982e32da3f1976ecc0d43a638c3e8186ed4db95a645b9e011ea9fbc4036856"
      + "46464e9705a83b0a0860f88b8010d7cbd168f2d394135a6cd521fd4b7d6650f90446c6296ad7a0c4503035d5f3e28633"
      + "9abd14f3354de244a6bd2a3c50930ca9")
  static let signature = bytes(
    "428b0b7826eb6ca940bbcffea489e6d2599a33dfbca83765f3e7d9e892ad0d6fb2a40d962442056e3b784640103d79b8"
      + "b0e59ff6bcf1b93b175733069ab4ddbee79d328dc375ed2d94473d001c4cae8d4a874f826ac4a73096d3925f1e1a1449"
      + "583d8cbd04c7547683fc18b0b0887ea35d51f5164b443eacabfbca381b8a7335d0d84b6bf2b529d1aa39f55860b1fc0b"
      + "0e4582912c8d4043ee724b3b62d122de1697f4f7bfa9b901575c9f8d95e30b88b82cd5a8445601566e685d82636454a0"
      + "93c8f4a3118f77f3d43ab21a69106e1166786b7925375d59209dcc0ed7ad210405b149da5cebcbac3e0b361483b96d56"
      + "8e660871e82a1f1063953e080711ff57")

  /// A key of 1024 bits, and its signature.
  static let shortModulus = bytes(
    "be23467dd53dca49a47441147e94a2343dafc62b2f0dbb55d2914d00bd3ae46b91a226c0c5c116967303f29abad59829"
      + "6f2751f8e09932e24e6733462036a81c518eafcf5dccea10673c1720951e6ac1d6c1df0822083b1fbbae0476cc7fbceb"
      + "5f22cb28032560c835fb911ce26db79616fb88232c90f26c7a53b571ea75af15")
  static let shortSignature = bytes(
    "74e7421d957b5dcc16fa69462c017d9c074752cfed3d7ac92c13c580c134acdeee7e8ce944d9a8fd4b1b41d9d55f8626"
      + "9ce7b62e492b7f10525124d38aa79547ca456da2318f1244a5601047517f999b4686ff63baaa49ee81ba6a62f2a61b2d"
      + "7282132b437f72512fb1b20ad637ab1a1b9b9dcff77d5271ad440cf981f74ae1")

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.count, by: 2).compactMap { UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16) }
  }
}
