/// What the cell holds. Each write raises `revision` by one, so it must always equal the cell's version.
struct Settings: Sendable {
  var revision = 0
  var lastWriter = 0
}
