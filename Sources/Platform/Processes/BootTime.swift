import Glibc

/// A moment by a clock that nobody sets: it counts from the start of the machine, also while that sleeps.
///
/// The clock of the day jumps, where a battery is empty or somebody sets it. This one says for sure that so much time
/// has passed at least.
public struct BootTime: Sendable, Hashable {
  /// Which start of the machine it is; empty where that cannot be told.
  public let bootID: String
  /// Seconds since that start.
  public let seconds: Int64

  public init(bootID: String, seconds: Int64) {
    self.bootID = bootID
    self.seconds = seconds
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

  /// The seconds that have passed since `earlier` at least. What was before this start of the machine is at least as
  /// long ago as that.
  public func minimumSeconds(since earlier: BootTime) -> Int64 {
    guard bootID == earlier.bootID, !bootID.isEmpty else { return seconds }
    return max(0, seconds - earlier.seconds)
  }
}
