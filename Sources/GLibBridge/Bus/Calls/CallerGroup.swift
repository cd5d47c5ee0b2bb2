/// On whose behalf the running task works.
public enum CallerGroup {
  /// The group of callers, as ``BusObjects/Rules`` names it, whose call began this task; nil for work of this process's
  /// own. It tells callers apart, and nothing more.
  @TaskLocal public static var current: String?
}
