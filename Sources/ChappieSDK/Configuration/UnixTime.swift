import GLibBridge

/// Times in this project's format: Unix seconds in UTC.
package enum UnixTime {
  package static var now: Int64 { LocalTime.now }
  /// The present time in seconds and microseconds.
  package static var nowWithMicroseconds: (seconds: Int64, microseconds: Int32) { LocalTime.nowWithMicroseconds }
}
