# Compares the errors of the compiler with those that a file of wrong lines expects: the file has `// error: WORDS`
# behind a wrong line.
#
#   awk -f .ci/guesses.awk Guesses.swift LOG      LOG is what swiftc prints with -diagnostic-style=llvm
#
# The first error of a line counts. An error within a macro belongs to the line of the note behind it.

FNR == NR {
  file = FILENAME
  if (match($0, /\/\/ error: /)) {
    expected[FNR] = substr($0, RSTART + RLENGTH)
    count++
  }
  next
}

match($0, /:[0-9]+:[0-9]+: (error|note): /) {
  place = substr($0, 1, RSTART - 1)
  split(substr($0, RSTART + 1), part, ":")
  message = substr($0, RSTART + RLENGTH)
  isError = $0 ~ /:[0-9]+:[0-9]+: error: /
  isHere = substr(place, length(place) - length(file) + 1) == file
  if (isError && !isHere) inMacro = message
  else if (isError) note(part[1], message)
  else if (isHere && inMacro != "") { note(part[1], inMacro); inMacro = "" }
}

END {
  for (line in expected) {
    if (!(line in found)) report(line, "compiles")
    else if (index(found[line], expected[line]) != 1) report(line, "says: " found[line])
  }
  for (line in found) if (!(line in expected)) report(line, "says: " found[line])
  if (!count) { print file " has no wrong line"; broken = 1 }
  if (!broken) print count " guesses have their answers"
  exit broken
}

function note(line, message) {
  if (!(line in found)) found[line] = message
}

function report(line, words) {
  print file ":" line ": " words
  broken = 1
}
