extension Workload {
  /// All workloads, in the order of the table.
  static let all: [Workload] = [
    Writing.workloads, Observing.workloads, Contending.workloads, Streaming.workloads, Watching.workloads,
    HandingOver.workloads, Subscribing.workloads, Reading.workloads, Operating.workloads,
    Delivering.workloads,
    Dying.workloads, Lagging.workloads, Transacting.workloads, Combining.workloads, Linking.workloads,
    Relaying.workloads, Listing.workloads, Keying.workloads, Arranging.workloads,
    CallingInPlace.workloads, Calling.workloads, Hiding.workloads, Describing.workloads,
    ComparedOnly.workloads,
  ].flatMap(\.self)
}
