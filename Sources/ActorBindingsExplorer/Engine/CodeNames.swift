#if Explorer
  import CActorBindingsExplorer
  import Foundation

  /// The names of functions, for timelines.
  struct CodeNames {
    private typealias Demangle =
      @convention(c) (
        UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
      ) -> UnsafeMutablePointer<CChar>?
    private static let demangle = dlsym(dlopen(nil, RTLD_LAZY), "swift_demangle").map {
      unsafeBitCast($0, to: Demangle.self)
    }

    /// What is known about a function.
    enum Name {
      /// The function belongs to the explorer, and is no part of the program.
      case own
      case function(String)
      case unknown
    }

    private var known: [UnsafeRawPointer: Name] = [:]

    /// Returns the name of the function with code at an address.
    mutating func name(of address: UnsafeRawPointer?) -> Name {
      guard let address else { return .unknown }
      if let name = known[address] { return name }
      let name: Name =
        Self.demangled(at: address).map { Self.shortened($0).map(Name.function) ?? .own } ?? .unknown
      known[address] = name
      return name
    }

    private static func demangled(at address: UnsafeRawPointer) -> String? {
      guard let symbol = actor_bindings_function_name(address),
        let text = demangle?(symbol, strlen(symbol), nil, nil, 0)
      else { return nil }
      defer { free(text) }
      return String(cString: text)
    }

    /// Returns the short form of a name, or nil for a function of the explorer, which is no part of the program.
    ///
    /// `(1) await resume partial function for Shop.Account.withdraw(Swift.Int) async -> Swift.Bool` becomes
    /// `Account.withdraw(…)`.
    static func shortened(_ name: String) -> String? {
      var name = name
      // A function with `await`s is compiled in parts: only the name of the whole function is of interest.
      if let part = name.range(of: "partial function for ") { name = String(name[part.upperBound...]) }
      let isClosure = name.hasPrefix("closure #")
      if let outer = name.ranges(of: " in ").last, isClosure { name = String(name[outer.upperBound...]) }
      name = name.replacing("static ", with: "")
      let isUsersExtension =
        name.hasPrefix("(extension in ") && !name.hasPrefix("(extension in ActorBindingsExplorer)")
      if name.hasPrefix("(extension in "), let end = name.range(of: "):") {
        name = String(name[end.upperBound...])
      }
      if let end = name.firstIndex(where: { "<(".contains($0) }), end != name.startIndex {
        let hasParameters = !name[end...].hasPrefix("()")
        name = name[..<end] + (hasParameters ? "(…)" : "()")
      }
      if name.hasPrefix("ActorBindingsExplorer."), !isUsersExtension { return nil }
      // The module.
      if let dot = name.firstIndex(of: ".") { name = String(name[name.index(after: dot)...]) }
      return isClosure ? "a closure in \(name)" : name
    }
  }
#endif
