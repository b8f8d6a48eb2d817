import ActorBindings

/// Records what one reader received. Checks each update against the previous one.
struct Account: Sendable {
  private(set) var delivered = 0
  private(set) var skipped = 0
  private(set) var fault: String?

  /// The version that was current when the reader began.
  private var first: UInt64 = 0
  private var last: UInt64?

  mutating func record(_ update: Update<Settings>) {
    let before = last ?? update.version &- UInt64(update.skipped) &- 1
    if last == nil { first = before &+ 1 }
    delivered += 1
    skipped += update.skipped
    last = update.version

    if update.version != before &+ UInt64(update.skipped) &+ 1 {
      complain("version \(update.version) came after \(before), but \(update.skipped) are said to be skipped")
    }
    if update.value.revision != Int(update.version) {
      complain("version \(update.version) came with the value of \(update.value.revision)")
    }
  }

  /// Checks, after the last update, that this reader has reached `version`, and that each earlier update was either
  /// delivered or counted as skipped.
  mutating func close(at version: UInt64, mayBeSkipped: Bool) {
    if last != version { complain("ended on version \(last.map(String.init) ?? "none"), not on \(version)") }
    let versions = Int(truncatingIfNeeded: version &- first) + 1
    if delivered + skipped != versions {
      complain("\(delivered) delivered and \(skipped) skipped make no \(versions) versions")
    }
    if skipped > 0, !mayBeSkipped { complain("\(skipped) versions were skipped") }
  }

  mutating func complain(_ fault: String) {
    if self.fault == nil { self.fault = fault }
  }

  /// Adds the account of one reader to the sum of several.
  static func += (sum: inout Account, account: Account) {
    sum.delivered += account.delivered
    sum.skipped += account.skipped
    if let fault = account.fault { sum.complain(fault) }
  }
}
