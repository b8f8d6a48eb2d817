import Testing

/// Faults that are not cured yet, by their numbers, and the rows that fail because of them. When a fault is cured the
/// tests of single rows fail until it is removed here.
enum KnownFault: Int {
  /// To read the value of a combination with a key that has no reader ends the process.
  case unreadKey = 1
  /// A combination of two keys shows one of them written and the other not yet.
  case tornKeys = 2
  /// A relay does not hold what `transform` returned.
  case innerSourceDies = 5
  /// Owners that died behind a source of their own that has a cell of its own are not looked for.
  case deadOwnersBehindCells = 9
}

extension MatrixRow {
  /// What fails in it when it is read.
  var faultWhenRead: KnownFault? {
    if derivations.contains(.flatMapToLoading) { return .innerSourceDies }
    return origin == .twoKeys ? .tornKeys : nil
  }

  /// What fails when it is asked for its value.
  var faultWhenUnread: KnownFault? {
    let combinesKeys = origin == .twoKeys || origin.readsKeys && derivations.contains { $0.combines }
    return combinesKeys ? .unreadKey : nil
  }

  /// What fails when owners die.
  var faultOfDeadOwners: KnownFault? {
    let hasACellOfItsOwn = origin.readsKeys || derivations.contains { $0.isRelay }
    return hasACellOfItsOwn ? .deadOwnersBehindCells : nil
  }
}

/// Records problems, as a known issue if they are of a fault.
func record(_ problems: [String], of fault: KnownFault?, isIntermittent: Bool = false) {
  func recordAll() {
    for problem in problems { Issue.record(Comment(rawValue: problem)) }
  }
  if let fault {
    withKnownIssue("fault \(fault.rawValue)", isIntermittent: isIntermittent) { recordAll() }
  } else {
    recordAll()
  }
}
