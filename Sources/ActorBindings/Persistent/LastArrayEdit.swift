/// The last change of an array: the step, if it was a single one, and the identities of the contents before and after
/// it.
///
/// The problem: a reader that receives each update compares two trees to find the one element that a writer has just
/// written. The comparison takes longer than the write. The cell could hand each edit to its readers, beside the value.
/// But then the log, the window, the snapshot of a pass, each combination and each operator would have to carry edits,
/// and a removed element would stay in memory until the last reader has received its edit. So the array itself notes
/// its last step, without elements. A comparison with an array that has the contents before that step finds the
/// elements in the two arrays by their offsets. Any other comparison walks the trees: a reader that has missed an
/// update compares, and so does a reader of an update with several steps.
@usableFromInline
struct LastArrayEdit: Sendable {
  @usableFromInline
  enum Step: Sendable {
    /// Not one step, or not noted.
    case several
    case insert(Int)
    case remove(Int)
    case update(Int)
    case move(from: Int, to: Int)
  }

  /// Identifies the contents. Each change gives the array an identity that no other contents in this process have, so
  /// arrays with equal identities are copies of one array.
  @usableFromInline var contents: WriteID
  /// The identity of the contents before `step`.
  @usableFromInline var former: WriteID
  @usableFromInline var step = Step.several

  /// The first contents of an array.
  @inlinable
  init(of contents: WriteID) {
    self.contents = contents
    former = contents
  }

  /// An empty array, which has never had an element.
  @inlinable
  static var empty: LastArrayEdit { LastArrayEdit(of: WriteID(.max)) }

  /// The array is about to change, by `step`.
  ///
  /// - Parameter contents: The identity of the contents after the change.
  @inlinable
  mutating func changed(by step: Step, to contents: WriteID) {
    former = self.contents
    self.contents = contents
    self.step = step
  }
}
