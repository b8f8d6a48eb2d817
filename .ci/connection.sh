# The check of the JavaScript of the article *Over a connection*.

# Runs the article's code in Chromium: after each change of a cell, it must show the rows of the cell.
rebuilds_rows() {
  local page=$logs/connection.html status
  swift build --product ChangeWriter || return 1
  "$(swift build --show-bin-path)/ChangeWriter" Sources/ActorBindings/ActorBindings.docc/OverAConnection.md 1 >"$page" \
    || return 1
  Tests/Pages/look "file://$PWD/$page" Tests/Pages/OverAConnection.js
  status=$?
  # Status 77: this machine has no browser, and the script has already said so.
  [ $status -eq 0 ] || [ $status -eq 77 ]
}
