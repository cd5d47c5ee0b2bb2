import GLibBridge

/// Times as this project carries them: Unix seconds in UTC.
package enum UnixTime {
  package static var now: Int64 { LocalTime.now }
}
