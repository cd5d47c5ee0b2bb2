// SPDX-License-Identifier: Apache-2.0
import SecretMemory

/// A request that ``LoopbackListener`` has received.
package struct LoopbackRequest: Sendable {
  /// The method, such as `GET`.
  package let method: String
  /// The field `Host`, as it was sent.
  package let host: String
  /// The request target, such as `/path?a=b`, as it was sent. It may hold an authorization code.
  package let target: SecretBytes
}

/// What the head of a request says, or the status that refuses it.
enum LoopbackHead {
  case request(LoopbackRequest)
  case refused(status: Int)

  /// The end of a head.
  static let end: [UInt8] = [13, 10, 13, 10]

  /// The number of bytes of a head with its end; nil if the end has not come.
  ///
  /// - Parameter start: the offset before which no end begins.
  static func length(of bytes: [UInt8], from start: Int) -> Int? {
    bytes.dropFirst(start).firstRange(of: end)?.upperBound
  }

  /// Reads a complete head by RFC 9112, without what it lets a server tolerate.
  static func read(_ head: ArraySlice<UInt8>) -> LoopbackHead {
    let bytes = head.dropLast(Self.end.count)
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)[...]
    // Every line but the last, whose end is the end of the head, still has its carriage return.
    for index in lines.indices.dropLast() {
      guard lines[index].last == 13 else { return .refused(status: 400) }
      lines[index] = lines[index].dropLast()
    }
    guard let first = lines.popFirst(), let (method, target) = Self.requestLine(first), let host = Self.host(lines)
    else { return .refused(status: 400) }
    return .request(LoopbackRequest(method: method, host: host, target: SecretBytes(target)))
  }

  private static func requestLine(_ line: ArraySlice<UInt8>) -> (String, ArraySlice<UInt8>)? {
    let parts = line.split(separator: 32, omittingEmptySubsequences: false)
    guard parts.count == 3, isToken(parts[0]), parts[0].count <= 32, !parts[1].isEmpty,
      parts[1].allSatisfy({ (0x21...0x7E).contains($0) }),
      parts[2].elementsEqual("HTTP/1.1".utf8) || parts[2].elementsEqual("HTTP/1.0".utf8)
    else { return nil }
    return (String(decoding: parts[0], as: UTF8.self), parts[1])
  }

  /// The only field `Host`; nil also when another field is malformed.
  private static func host(_ lines: ArraySlice<ArraySlice<UInt8>>) -> String? {
    var host: String?
    for line in lines {
      guard let colon = line.firstIndex(of: 0x3A), isToken(line[..<colon]) else { return nil }
      let value = line[(colon + 1)...]
      guard value.allSatisfy({ ($0 >= 32 && $0 != 127) || $0 == 9 }) else { return nil }
      guard String(decoding: line[..<colon], as: UTF8.self).lowercased() == "host" else { continue }
      guard host == nil else { return nil }
      host = String(decoding: value.trimmingPrefix { $0 == 32 || $0 == 9 }, as: UTF8.self)
      while let last = host?.utf8.last, last == 32 || last == 9 { host?.removeLast() }
    }
    return host
  }

  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) && !#"()<>@,;:\"/[]?={}"#.utf8.contains($0) }
  }
}
