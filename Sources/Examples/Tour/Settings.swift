/// The value of the cell. Each write increments `revision`, so it must always equal the cell's version.
struct Settings: Sendable {
  var revision = 0
  var lastWriter = 0
}
