package import ActorBindings

/// Holds jobs in the order in which they will be done. This service does not know its readers.
package final class Jobs: Sendable {
  package let cell = BindableArray<Job>()

  package init() {}

  /// Accepts jobs and does them, until the task is cancelled or the cell has ended.
  package func work() async {
    var taken = 0
    while !Task.isCancelled, !cell.isFinished {
      if cell.count < 7, Bool.random() {
        taken += 1
        let title = "\(["Parse", "Index", "Render", "Pack", "Ship"].randomElement() ?? "") \(taken)"
        cell.append(Job(id: taken, title: title))
      }
      let (effort, isUrgent) = (Int.random(in: 4...30), Int.random(in: 0..<12) == 0)
      // Makes one update for all changes. The first two jobs are in progress.
      cell.modify { jobs in
        for index in 0..<min(2, jobs.count) { jobs[index].progress = min(100, jobs[index].progress + effort) }
        jobs.removeAll { $0.progress == 100 }
        if isUrgent, jobs.count > 3 { jobs.move(from: jobs.count - 1, to: 1) }
      }
      try? await Task.sleep(for: .milliseconds(700))
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
