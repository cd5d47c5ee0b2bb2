import Glibc

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
