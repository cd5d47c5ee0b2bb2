// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation
import Testing

/// Apps show `localizedDescription`, which must be the description of the error.
struct LocalizedErrorTests {
  private static let errors: [any Error & CustomStringConvertible] = [
    ChappieAuthError.declined, ChappieAuthError.tokenExchangeFailed(status: 400, message: "no"),
    ChappieClientError.missingCredential, ChappieClientError.signInServer(.network("no route")),
  ]

  @Test(arguments: errors.indices)
  func localizedDescriptionIsTheDescription(_ index: Int) {
    let error = Self.errors[index]
    #expect((error as any Error).localizedDescription == error.description)
    #expect(error is any LocalizedError)
  }
}
