import Foundation
import GLibBridge

extension Sandbox {
  /// Decides on the page of a sign-in in the browser, as a person does there; without fields it is an approval.
  ///
  /// - Returns: the address to which the browser goes then.
  func answer(_ page: String, _ fields: [String: String] = [:]) async throws -> String {
    struct Answer: Decodable {
      let location: String
    }
    let form = fields.merging(["address": page]) { $1 }.map { key, value in
      "\(key)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }
    let answer = try await request(
      .post, "\(issuer)/sandbox/authorize", form.joined(separator: "&"), type: "application/x-www-form-urlencoded")
    return try JSONDecoder().decode(Answer.self, from: answer).location
  }

  /// Decides on the page, and goes where the browser goes.
  func browse(_ page: String, _ fields: [String: String] = [:]) async throws {
    try await request(.get, try await answer(page, fields))
  }

  /// Sets what the plan allows.
  func setPlanUse(_ state: String) async throws {
    try await request(
      .post, "\(issuer)/sandbox/plan-use", "state=\(state)", type: "application/x-www-form-urlencoded")
  }
}
