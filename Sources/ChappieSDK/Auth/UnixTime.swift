import FoundationEssentials

/// Times as this project carries them: Unix seconds in UTC.
package enum UnixTime {
  package static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
