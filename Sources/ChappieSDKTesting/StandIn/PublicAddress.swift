import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// The addresses under which a client may have reached the stand-in. Somebody may stand in front of it with TLS.
struct PublicAddress {
  /// Addresses such as `https://sign-in.example`, the likeliest first; several where nobody says whether there is TLS.
  let candidates: [String]

  /// - Parameter configured: the address that the configuration names; nil leaves it to the request.
  init(of request: HTTPServerRequest, configured: String?) {
    if let configured {
      candidates = [configured]
      return
    }
    let headers = request.headers
    let forwarded = Self.forwarded(headers["forwarded"] ?? "")
    let host =
      forwarded["host"] ?? Self.first(headers["x-forwarded-host"]) ?? Self.first(headers["host"]) ?? "127.0.0.1"
    // What only passes the bytes on says nothing of TLS.
    let schemes = (forwarded["proto"] ?? Self.first(headers["x-forwarded-proto"])).map { [$0] } ?? ["http", "https"]
    candidates = schemes.map { $0.lowercased() + "://" + host }
  }

  /// Whether the client certainly came over TLS.
  var hasTLS: Bool { candidates.allSatisfy { $0.hasPrefix("https://") } }

  /// What the outermost proxy says in a `Forwarded` field (RFC 7239), by lower-case name.
  private static func forwarded(_ field: String) -> [String: String] {
    var values: [String: String] = [:]
    for pair in field.prefix(while: { $0 != "," }).split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimming { $0 == " " || $0 == "\"" } }
      if parts.count == 2 { values[parts[0].lowercased()] = parts[1] }
    }
    return values
  }

  /// The first of several values with commas between them: what the client used.
  private static func first(_ field: String?) -> String? {
    let value = field?.prefix { $0 != "," }.trimming { $0 == " " }
    return value?.isEmpty == false ? value : nil
  }
}

extension StringProtocol {
  fileprivate func trimming(_ isEdge: (Character) -> Bool) -> String {
    let start = drop(while: isEdge)
    return String(start.reversed().drop(while: isEdge).reversed())
  }
}
