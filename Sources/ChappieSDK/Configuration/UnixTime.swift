import GLibBridge

/// Times as this project carries them: Unix seconds in UTC.
package enum UnixTime {
  package static var now: Int64 { LocalTime.now }
  /// The same, with the part of a second that comes to it.
  package static var nowWithMicroseconds: (seconds: Int64, microseconds: Int32) { LocalTime.nowWithMicroseconds }
}
