// SPDX-License-Identifier: Apache-2.0
import CGLib
import Synchronization

/// Runs Swift's jobs in one event source of a `GMainContext`: the jobs of the actor, and those of tasks that prefer its
/// thread.
final class MainContextExecutor: SerialExecutor, TaskExecutor {
  private struct State: Sendable {
    var jobs: [UnownedJob] = []
  }

  private let state = Mutex(State())
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
    let wasEmpty = state.withLock { state in
      state.jobs.append(job)
      return state.jobs.count == 1
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
    state.withLock { !$0.jobs.isEmpty }
  }

  /// Runs the jobs that are queued now. Jobs that they enqueue run in the next iteration, so that sockets and timers
  /// get their turn.
  private func runJobs() {
    let jobs = state.withLock { state in
      let jobs = state.jobs
      state.jobs = []
      return jobs
    }
    for job in jobs {
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
