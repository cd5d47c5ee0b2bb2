// SPDX-License-Identifier: Apache-2.0
import CGLib
import Synchronization

/// Runs Swift's jobs in one event source of a `GMainContext`: the jobs of the actor, and those of tasks that prefer its
/// thread.
final class MainContextExecutor: SerialExecutor, TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  let context: MainContext

  init() {
    context = MainContext.chosen()
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
    g_source_attach(source, context.pointer)
    g_source_unref(source)
    context.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasEmpty = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if wasEmpty, !isCurrent {
      g_main_context_wakeup(context.pointer)
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
    g_main_context_is_owner(context.pointer) != 0
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
