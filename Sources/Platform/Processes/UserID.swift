import CGLib

/// Who runs this process.
public enum UserID {
  public static var own: UInt32 { getuid() }
  public static var isRoot: Bool { geteuid() == 0 }
}
