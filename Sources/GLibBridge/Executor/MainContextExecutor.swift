// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform
import Synchronization

/// Runs Swift's jobs in one event source of a `GMainContext`: the jobs of the actor, and those of tasks that prefer its
/// thread.
final class MainContextExecutor: SerialExecutor, TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  /// The default context if ``MainLoop`` iterates it, and else one that a thread of this module iterates.
  nonisolated(unsafe) let context: OpaquePointer?

  init() {
    let isMainThreads = MainLoop.isUsed
    context = isMainThreads ? g_main_context_default() : g_main_context_new()
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(to: GSourceFuncs())
    functions.pointee.prepare = { source, timeout in
      timeout?.pointee = -1
      return MainContextExecutor.of(source).hasJobs ? 1 : 0
    }
    functions.pointee.check = { source in MainContextExecutor.of(source).hasJobs ? 1 : 0 }
    functions.pointee.dispatch = { source, _, _ in
      MainContextExecutor.of(source).runJobs()
      return sourceContinue
    }
    let source = g_source_new(functions, guint(MemoryLayout<JobSource>.size))
    source?.withMemoryRebound(to: JobSource.self, capacity: 1) {
      $0.pointee.executor = Unmanaged.passUnretained(self)
    }
    g_source_set_name(source, "swift-jobs")
    g_source_attach(source, context)
    g_source_unref(source)
    if !isMainThreads { startThread() }
  }

  private func startThread() {
    let thread = g_thread_new(
      "chappie-glib",
      { data in
        CurrentProcess.useSignalMaskOfMainThread()
        let context = OpaquePointer(data)
        g_main_context_push_thread_default(context)
        g_main_loop_run(g_main_loop_new(context, 0))
        return nil
      }, UnsafeMutableRawPointer(context))
    g_thread_unref(thread)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasEmpty = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if wasEmpty, !isCurrent {
      g_main_context_wakeup(context)
    }
  }

  func checkIsolated() {
    precondition(isCurrent, "not on the thread of GLibActor")
  }

  func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  /// Whether the caller is on the thread that iterates the context.
  var isCurrent: Bool {
    g_main_context_is_owner(context) != 0
  }

  private var hasJobs: Bool {
    jobs.withLock { !$0.isEmpty }
  }

  /// Runs the jobs that are queued now. Jobs that they enqueue run in the next iteration, so that sockets and timers
  /// get their turn.
  private func runJobs() {
    let ready = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in ready {
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  private struct JobSource {
    var base: GSource
    var executor: Unmanaged<MainContextExecutor>
  }

  private static func of(_ source: UnsafeMutablePointer<GSource>?) -> MainContextExecutor {
    guard let source else { preconditionFailure("GLib called a source function without its source") }
    return source.withMemoryRebound(to: JobSource.self, capacity: 1) {
      $0.pointee.executor.takeUnretainedValue()
    }
  }
}

/// The main loop of a program that gives its main thread to ``GLibActor``.
public enum MainLoop {
  private static let hasRun = Atomic(false)

  /// Whether this program runs it, as this package's own programs do.
  static var isUsed: Bool { hasRun.load(ordering: .relaxed) }

  /// Runs `body` on the main thread's context until it returns, and returns its result, an exit status.
  ///
  /// Call it once, from `main`, before anything else uses ``GLibActor``.
  public static func run(_ body: @escaping @GLibActor @Sendable () async -> Int32) -> Int32 {
    hasRun.store(true, ordering: .relaxed)
    let context = GLibActor.shared.executor.context
    // The task runs on this thread.
    nonisolated(unsafe) var status: Int32?
    Task.onGLib { status = await body() }
    while true {
      if let status { return status }
      g_main_context_iteration(context, 1)
    }
  }
}
