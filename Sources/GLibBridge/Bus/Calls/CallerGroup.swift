/// The group of callers for which the running task works.
public enum CallerGroup {
  /// The name of the group, as ``BusObjects/Rules`` returned it for the call that started this task; nil for this
  /// process's own work.
  @TaskLocal public static var current: String?
}
