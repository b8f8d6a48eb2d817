/// The file and the line of a call in user code, in one word. Diagnostics show it.
///
/// The compiler passes the file and the line as constants. So a call site costs its cell or its observation eight bytes,
/// and no allocation.
@safe
@usableFromInline
package struct CallSite: Equatable, Sendable {
  // The address of the file's name in the lower 48 bits: no system that Swift supports gives a program a constant above
  // them. The line in the upper 16 bits.
  @usableFromInline let word: UInt64

  /// The call site of a cell or an observation that the library itself has made.
  @inlinable
  package init() {
    word = 0
  }

  /// Creates a call site from what `#fileID` and `#line` say. A line above 65,535 counts as 65,535.
  @inlinable
  package init(_ fileID: StaticString, _ line: UInt) {
    word = unsafe UInt64(UInt(bitPattern: fileID.utf8Start)) | UInt64(min(line, 65_535)) << 48
  }

  /// The file and the line; nil if the library itself made the call.
  package var location: CodeLocation? {
    // The name is a constant of the program, and ends with a zero.
    guard let name = unsafe UnsafePointer<UInt8>(bitPattern: UInt(word & ((1 << 48) - 1))) else { return nil }
    return CodeLocation(fileID: unsafe String(cString: name), line: Int(word >> 48))
  }
}

/// A place in a program: the file and the line of a call.
public struct CodeLocation: Hashable, Sendable, CustomStringConvertible {
  /// The module and the name of the file, as `#fileID` has it.
  public let fileID: String
  /// The line. Zero if it is not known: an operator such as `->>` cannot know it, nor can an unapplied initializer.
  public let line: Int

  /// A description such as `Server/Feed.swift:31`.
  public var description: String { line == 0 ? fileID : "\(fileID):\(line)" }
}
