import Foundation

/// A copy of the library in which each change waits behind a switch.
struct Schema {
  struct Source {
    let file: String
    let bytes: [UInt8]
    var sites: [Site]
  }

  /// The folder of the library's files.
  static let library = "Sources/ActorBindings"
  /// How the paths of the files begin that are changed if no file is named: the rooms that take locks, and the sources
  /// of single keys.
  private static let core = [
    "Platform/", "Cell/", "Cursors/", "Combining/", "Delivery/", "Lifetime/", "Loading/", "Relays/",
    "Streams/", "Transactions/", "Collections/BindableDictionary", "Collections/Key",
    "Collections/WatchedKeys",
  ]
  private static let toolFiles = ["SchedulePoint.swift", "ThreadSanitizer.swift"]

  /// Whether a file is part of what users run. Other files serve only the explorer or the thread sanitizer, so no test
  /// can notice a change of such a file.
  static func isTested(_ file: String) -> Bool {
    file.hasSuffix(".swift") && !toolFiles.contains { file.hasSuffix("/\($0)") }
  }

  private(set) var sources: [Source]
  /// The changes that the compiler refused.
  private(set) var refused: [Mutant] = []

  /// The files of the core, or of all rooms, or those files whose paths end in one of `paths`.
  init(only paths: [String] = [], inAllRooms: Bool = false) throws {
    let isWholeCore = paths.isEmpty && !inAllRooms
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.library).sorted()
    sources = try files.filter { file in
      Self.isTested(file)
        && (!isWholeCore || Self.core.contains { file.hasPrefix($0) })
        && (paths.isEmpty || paths.contains { "/\(Self.library)/\(file)".hasSuffix("/\($0)") })
    }.map { file in
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(Self.library)/\(file)")))
      var sites = Finder.sites(in: Lexer.tokens(of: bytes))
      sites.sort { $0.range.lowerBound < $1.range.lowerBound }
      // Two files of one module never have the same name, so the folder is not needed.
      Site.name(&sites, in: bytes, of: String(file.split(separator: "/").last ?? ""))
      return Source(file: file, bytes: bytes, sites: sites)
    }
    if let path = paths.first(where: { path in
      !sources.contains { "/\(Self.library)/\($0.file)".hasSuffix("/\(path)") }
    }) {
      throw Failure("There is no file \(path) in \(Self.library)")
    }
  }

  /// Every change, numbered.
  var mutants: [Mutant] {
    var mutants = sources.flatMap { source in source.sites.flatMap { Self.mutants(of: $0, in: source) } }
    for index in mutants.indices { mutants[index].number = index + 1 }
    return mutants
  }

  /// The place of a change, in the format of editors.
  func place(of mutant: Mutant) -> String { "\(Self.library)/\(mutant.file):\(mutant.line)" }

  /// Returns the original line of a change.
  func text(of mutant: Mutant) -> String {
    guard let source = sources.first(where: { $0.file == mutant.file }) else { return "" }
    let lines = source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return String(decoding: lines[mutant.line - 1], as: UTF8.self).trimmingCharacters(in: .whitespaces)
  }

  private static func mutants(of site: Site, in source: Source) -> [Mutant] {
    site.names.map { Mutant(file: source.file, line: site.line, name: $0) }
  }

  /// Removes the changes at a place where the compiler found an error: first the omissions, and only if there are no
  /// omissions, the other changes.
  ///
  /// - Returns: Whether there was a change to remove.
  mutating func takeBack(file: String, line: Int) -> Bool {
    guard let index = sources.firstIndex(where: { $0.file == file }) else { return false }
    func takeBack(where isMeant: (Site) -> Bool) -> Bool {
      let meant = sources[index].sites.filter(isMeant)
      refused += meant.flatMap { Self.mutants(of: $0, in: sources[index]) }
      sources[index].sites.removeAll(where: isMeant)
      return !meant.isEmpty
    }
    func isStatement(_ site: Site) -> Bool { if case .statement = site.form { true } else { false } }
    let bytes = sources[index].bytes
    func lastLine(_ site: Site) -> Int {
      site.line + bytes[site.range].count { $0 == UInt8(ascii: "\n") }
    }
    return takeBack { isStatement($0) && $0.line == line }
      || takeBack { $0.line == line }
      || takeBack { isStatement($0) && $0.line <= line && lastLine($0) >= line }
      || takeBack { $0.line <= line && lastLine($0) >= line }
  }
}

// MARK: - What is compiled

extension Schema {
  /// The library's files as they are compiled: by path below `library`.
  var files: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var operators = ""
    var number = 1
    for source in sources {
      var edits = Edits()
      for site in source.sites {
        let count = site.kinds(in: source.bytes).count
        edits.add(site, number, source.bytes)
        switch site.form {
        case .binary(let operation, let others):
          let symbol = String(decoding: source.bytes[site.range], as: UTF8.self)
          operators += Operators.declaration(of: symbol, operation, others, number)
        case .negation: operators += Operators.declarationOfNegation(number)
        default: break
        }
        number += count
      }
      files[source.file] = edits.applied(to: source.bytes)
    }
    files["Cell/Mutant.swift"] = Array((Operators.switches + operators).utf8)
    return files
  }
}

/// The insertions into a source file. The insertions add no line, so the compiler reports an error on the original line
/// of the place.
private struct Edits {
  private struct Edit {
    let place: Int
    // Of two insertions at one place, the one that closes something comes first; then the order of nesting decides.
    let closes: Bool
    let extent: Int
    let text: String
  }

  private var edits: [Edit] = []
  private var replaced: [(range: Range<Int>, text: String)] = []

  private mutating func wrap(_ range: Range<Int>, _ before: String, _ after: String) {
    edits.append(Edit(place: range.lowerBound, closes: false, extent: -range.count, text: before))
    edits.append(Edit(place: range.upperBound, closes: true, extent: range.count, text: after))
  }

  mutating func add(_ site: Site, _ number: Int, _ source: [UInt8]) {
    switch site.form {
    case .statement: wrap(site.range, "if !Mutant.on(\(number)) { ", " }")
    case .condition: wrap(site.range, "Mutant.condition(\(number), ", ")")
    case .binding: wrap(site.range, "!Mutant.on(\(number)), ", "")
    case .value(let other): wrap(site.range, "Mutant.value(\(number), ", ", \(other))")
    case .binary: replaced.append((site.range, Operators.name(number)))
    case .negation: replaced.append((site.range, Operators.negation(number)))
    case .extremum(let name): replaced.append((site.range, "Mutant.\(name)(\(number), "))
    }
  }

  func applied(to source: [UInt8]) -> [UInt8] {
    let insertions = edits.sorted {
      ($0.place, $0.closes ? 0 : 1, $0.extent) < ($1.place, $1.closes ? 0 : 1, $1.extent)
    }
    let replacements = replaced.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var result: [UInt8] = []
    var (position, next, nextReplacement) = (0, 0, 0)
    while position <= source.count {
      while next < insertions.count, insertions[next].place == position {
        result += Array(insertions[next].text.utf8)
        next += 1
      }
      if nextReplacement < replacements.count, replacements[nextReplacement].range.lowerBound == position {
        result += Array(replacements[nextReplacement].text.utf8)
        position = replacements[nextReplacement].range.upperBound
        nextReplacement += 1
      } else {
        if position < source.count { result.append(source[position]) }
        position += 1
      }
    }
    return result
  }
}
