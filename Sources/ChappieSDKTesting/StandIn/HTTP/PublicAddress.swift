// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// The addresses under which a client may have reached the stand-in. A proxy may add TLS in front of it.
struct PublicAddress {
  /// Addresses such as `https://sign-in.example`, the most likely first; two if the use of TLS is unknown.
  let candidates: [String]

  /// - Parameter configured: the address in the configuration; nil takes the address from the request.
  init(of request: HTTPServerRequest, configured: String?) {
    if let configured {
      candidates = [configured]
      return
    }
    let headers = request.headers
    let forwarded = Self.forwarded(headers["forwarded"] ?? "")
    let host =
      forwarded["host"] ?? Self.first(headers["x-forwarded-host"]) ?? Self.first(headers["host"]) ?? "127.0.0.1"
    // A proxy that forwards only bytes adds no field about TLS.
    let schemes = (forwarded["proto"] ?? Self.first(headers["x-forwarded-proto"])).map { [$0] } ?? ["http", "https"]
    candidates = schemes.map { $0.lowercased() + "://" + host }
  }

  /// Whether the client has certainly used TLS.
  var hasTLS: Bool { candidates.allSatisfy { $0.hasPrefix("https://") } }

  /// The parameters of the outermost proxy in a `Forwarded` field (RFC 7239), by lower-case name.
  private static func forwarded(_ field: String) -> [String: String] {
    var values: [String: String] = [:]
    for pair in field.prefix(while: { $0 != "," }).split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
      if parts.count == 2 { values[parts[0].lowercased()] = parts[1] }
    }
    return values
  }

  /// The first value of a list with commas, which comes from the client's side.
  private static func first(_ field: String?) -> String? {
    let value = field?.prefix { $0 != "," }.filter { $0 != " " }
    return value?.isEmpty == false ? value : nil
  }
}
