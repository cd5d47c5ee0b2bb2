// SPDX-License-Identifier: Apache-2.0
import Signatures
import Signing
import Testing

/// RSA signatures, against those of another library.
@Suite struct RSATests {
  private let key = RSAPublicKey(modulus: Vectors.modulus, exponent: Vectors.exponent)

  @Test func acceptsTheSignatureOfOpenSSL() {
    #expect(key.verifies(Vectors.signature, of: Vectors.message))
  }

  @Test func refusesAnyChange() {
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

  @Test func refusesWhatIsNoKey() {
    for (modulus, exponent) in [
      ([], []), ([0], [0]), (Vectors.modulus, []), (Vectors.modulus, [0]), ([], Vectors.exponent),
      ([UInt8](repeating: 0, count: 256), Vectors.exponent), (Vectors.modulus, [UInt8](repeating: 255, count: 256)),
    ] as [([UInt8], [UInt8])] {
      #expect(!RSAPublicKey(modulus: modulus, exponent: exponent).verifies(Vectors.signature, of: Vectors.message))
    }
  }

  /// The same numbers, written longer than anybody needs.
  @Test func refusesNumbersThatOnlyCostTime() {
    let zeros = [UInt8](repeating: 0, count: 1)
    #expect(
      RSAPublicKey(modulus: zeros + Vectors.modulus, exponent: zeros + Vectors.exponent)
        .verifies(Vectors.signature, of: Vectors.message))
    for (modulus, exponent) in [(1024, 0), (0, 8)] {
      let key = RSAPublicKey(
        modulus: [UInt8](repeating: 0, count: modulus) + Vectors.modulus,
        exponent: [UInt8](repeating: 0, count: exponent) + Vectors.exponent)
      #expect(!key.verifies(Vectors.signature, of: Vectors.message))
    }
  }

  @Test func refusesAShortKey() {
    let short = RSAPublicKey(modulus: Vectors.shortModulus, exponent: Vectors.exponent)
    #expect(!short.verifies(Vectors.shortSignature, of: Vectors.message))
  }

  @Test func aNewKeySignsWhatItsPublicKeyVerifies() throws {
    let (key, other) = (try RSAPrivateKey(), try RSAPrivateKey())
    let signature = try key.signature(of: Vectors.message)
    #expect(key.publicKey.modulus.count == 256)
    #expect(key.publicKey.verifies(signature, of: Vectors.message))
    #expect(!other.publicKey.verifies(signature, of: Vectors.message))
  }
}
