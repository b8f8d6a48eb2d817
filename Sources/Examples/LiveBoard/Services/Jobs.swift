package import ActorBindings
import Synchronization

/// Holds jobs in the order in which they will be done. This service does not know its readers.
package final class Jobs: Sendable {
  package let cell = BindableArray<Job>().named("jobs")
  /// The number of jobs that were accepted.
  private let taken = Atomic(0)

  package init() {}

  /// Accepts jobs, and works on them, until the task is cancelled.
  package func run() async {
    repeat { work() } while (try? await Task.sleep(for: .milliseconds(700))) != nil
  }

  /// Accepts a job or none, and works on the first two.
  private func work() {
    if cell.count < 7, Bool.random() {
      let id = taken.add(1, ordering: .relaxed).newValue
      let title = "\(["Parse", "Index", "Render", "Pack", "Ship"].randomElement() ?? "") \(id)"
      cell.append(Job(id: id, title: title))
    }
    let (effort, isUrgent) = (Int.random(in: 4...30), Int.random(in: 0..<12) == 0)
    // Makes one update for all changes. The first two jobs are in progress.
    cell.modify { jobs in
      for index in 0..<min(2, jobs.count) { jobs[index].progress = min(100, jobs[index].progress + effort) }
      jobs.removeAll { $0.progress == 100 }
      if isUrgent, jobs.count > 3 { jobs.move(from: jobs.count - 1, to: 1) }
    }
  }
}

package struct Job: Sendable, Equatable {
  package var id: Int
  package var title: String
  /// The progress of the job, in percent.
  package var progress = 0

  package init(id: Int, title: String) {
    self.id = id
    self.title = title
  }
}
