// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc
import Synchronization

/// A time on the boot-time clock, which counts from the start of the machine, includes suspend and cannot be set.
///
/// The wall clock may jump, for example when the user sets it or a battery ran empty. This clock gives a reliable lower
/// bound of the time that has passed.
public struct BootTime: Sendable, Hashable {
  /// The kernel's ID of this boot; empty when it cannot be read.
  public let bootID: String
  /// Seconds since boot, from 0 to 2^53.
  public let seconds: Int64

  public init(bootID: String, seconds: Int64) {
    self.bootID = bootID
    self.seconds = Int64(Count(clamping: seconds).value)
  }

  public static var now: BootTime {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return BootTime(bootID: currentBootID, seconds: Int64(time.tv_sec))
  }

  private static let currentBootID: String = {
    let bytes = (try? Files.read("/proc/sys/kernel/random/boot_id", limit: 64)) ?? []
    return String(decoding: bytes.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
  }()

  /// The time that has passed since `earlier`, in seconds. Nil for a time of another boot, and for a later one.
  public func seconds(since earlier: BootTime) -> Int64? {
    guard bootID == earlier.bootID, !bootID.isEmpty, seconds >= earlier.seconds else { return nil }
    return seconds - earlier.seconds
  }

  /// A lower bound of the time that has passed since `earlier`, in seconds. A time from a previous boot is at least as
  /// old as this boot.
  public func minimumSeconds(since earlier: BootTime) -> Int64 {
    guard bootID == earlier.bootID, !bootID.isEmpty else { return seconds }
    return max(0, seconds - earlier.seconds)
  }
}

/// The time as servers tell it, in the `Date` of the answers that this process got.
public enum ServerTime {
  private static let last = Mutex<(time: Timestamp, boot: Int64)?>(nil)
  /// The years 2020 to 2100, in Unix seconds. Another time is no server's.
  public static let credible: Range<Int64> = 1_577_836_800..<4_133_980_800

  /// Notes the time of an answer that has just come, in Unix seconds.
  public static func note(_ unixSeconds: Int64) {
    guard credible.contains(unixSeconds), let time = Timestamp(unixSeconds) else { return }
    last.withLock { $0 = (time, BootTime.now.seconds) }
  }

  /// The time now: that of the last answer, and what has passed since. Nil before the first answer.
  public static var now: Timestamp? {
    last.withLock { last in last.map { $0.time + (BootTime.now.seconds - $0.boot) } }
  }
}
