import Foundation
import Reporting

@main
enum Program {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.helps {
        print(Options.usage)
      } else if options.lists {
        for row in options.rows { print(row.id.padded(to: 16) + row.title) }
      } else {
        try refuseDebugBuild()
        try await measure(options)
      }
      exit(0)
    } catch let refusal as Refusal {
      note("sharing-benchmarks: \(refusal.message)\n\n\(Options.usage)")
      exit(2)
    } catch let wrong as WrongResult {
      note("sharing-benchmarks: a wrong result, so the run was ended. \(wrong.message)")
    } catch {
      note("sharing-benchmarks: \(error)")
    }
    exit(1)
  }

  private static func measure(_ options: Options) async throws {
    var table = [Line.columns]
    var skipped: [String] = []
    var aims: [Bool] = []
    let clock = ContinuousClock()
    for (index, row) in options.rows.enumerated() {
      note("[\(index + 1)/\(options.rows.count)] \(row.id) ", terminator: "")
      if row.needsEtcd, EtcdCluster.program == nil {
        note("skipped")
        skipped.append(
          "\(row.id) is skipped: there is no etcd here (Debian, Ubuntu: apt-get install etcd-server)."
        )
        continue
      }
      let begin = clock.now
      let patience = endsProgram(unlessDoneWithin: .seconds(60), row.id)
      let lines: [Line]
      do {
        lines = try await row.measure(options.effort)
      } catch let wrong as WrongResult {
        throw WrongResult(message: "\(row.id): \(wrong.message)")
      }
      patience.cancel()
      note(String(format: "%.1f s", (clock.now - begin) / .seconds(1)))
      for (index, line) in lines.enumerated() { table.append(line.cells(of: index == 0 ? row.id : "")) }
      aims += lines.compactMap(\.isMet)
    }
    if table.count > 1 {
      let processors = ProcessInfo.processInfo.activeProcessorCount
      print("\(processors) processors. A and B are cells of two store objects in this process.")
      if options.effort.isQuick { print("A quick look, not a measurement.") }
      print("\n" + Table.aligned(table, left: [0, 1, 5, 6, 7]).joined(separator: "\n"))
      print("\n\(aims.filter(\.self).count) of \(aims.count) aims are met.")
    }
    for line in skipped { print(line) }
  }

  // A value that never comes would be awaited for ever. When this program ends, so do the members of etcd.
  private static func endsProgram(unlessDoneWithin limit: Duration, _ row: String) -> Task<Void, Never> {
    Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      note("\nsharing-benchmarks: \(row) is not done after \(limit), so the run was ended.")
      exit(1)
    }
  }

  private static func refuseDebugBuild() throws(Refusal) {
    #if DEBUG
      throw Refusal(message: "this is a debug build, whose times mean nothing: use -c release")
    #endif
  }

  private static func note(_ text: String, terminator: String = "\n") {
    FileHandle.standardError.write(Data((text + terminator).utf8))
  }
}
