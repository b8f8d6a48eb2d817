extension Row {
  /// All rows, with the aims for a machine with two processors.
  static let all = [
    Row("etcd", "A's write → observer in B, over one member of etcd", Propagation.overOneMember),
    Row("etcd-three", "A's write → observer in B, over three members of etcd", Propagation.overThreeMembers),
    Row("file", "A's write → observer in B, over a folder", needsEtcd: false, Propagation.overFolder),
    Row("memory", "A's write → observer in B, over memory", needsEtcd: false, Propagation.overMemory),
    Row("writes", "Writes a second over etcd, beside a client by hand", WriteRate.measure),
    Row("many-cells", "10,000 cells of one prefix over etcd", ManyCells.measure),
    Row("read", "A read of `value`, beside a read of a local cell", needsEtcd: false, Reading.measure),
    Row(
      "unread-memory",
      "10,000 changes a second of a cell that no code reads, over memory",
      needsEtcd: false,
      UnreadCell.overMemory
    ),
    Row(
      "unread-etcd",
      "10,000 changes a second in the folder of such a cell, over etcd",
      UnreadCell.overEtcd
    ),
    Row("renewal", "The end of a cut → the newest value, over etcd", Renewal.measure),
  ]
}
