# Prints each name that a room uses although it may not know the room that declares the name.
#
#   awk -f .ci/arrows.awk .ci/rooms FILE… FILE…     the files twice: first their declarations are read, then their names
#
# The declarations are those of types, and of members that one room adds to the types of a lower room. The members that
# Guesses declares do not count: they are unavailable, and other rooms declare available members of the same names.

FNR == 1 {
  files++
  room = FILENAME
  if (!sub(/^.*\/ActorBindings\//, "", room)) room = ""
  else if (!sub(/\/[^\/]*$/, "", room)) room = "face"
  # The second reading of the file.
  isUse = seen[FILENAME]++
  extended = ""
}

FILENAME ~ /\.ci\/rooms$/ {
  if ($0 ~ /^#/ || NF == 0) next
  known[$1] = 1
  may[$1, $1] = 1
  for (i = 2; i <= NF; i++) {
    if (!known[$i]) { print ".ci/rooms: " $1 " stands below " $i; broken = 1 }
    may[$1, $i] = 1
  }
  next
}

{
  if (!known[room]) { if (!told[room]++) print ".ci/rooms does not have the room " room; next }
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
  sub(/\/\/.*/, "", line)
}

!isUse && room != "Guesses" {
  declared = line
  sub(/^ */, "", declared)
  while (sub(/^(@[A-Za-z]+(\([^)]*\))?|public|package|internal|open|final|indirect|nonisolated|mutating|static|override|convenience) +/, "", declared)) {}
  if (line ~ /^[^ }]/ && declared ~ /^(class|struct|enum|protocol|actor|typealias) +[A-Z]/) {
    split(declared, words, /[^A-Za-z0-9_]+/)
    declare(words[2])
  }
  if (line ~ /^extension /) { split(line, words, /[^A-Za-z0-9_]+/); extended = words[2] }
  else if (line ~ /^[^ }]/) extended = ""
  if (match(declared, /^(func|var|let|case) +[a-z][A-Za-z0-9_]*/)) {
    split(declared, words, /[^A-Za-z0-9_]+/)
    name = words[2]
    if (name in member && member[name] != room) member[name] = "several"
    else { member[name] = room; of[name] = line ~ /^  [^ ]/ ? extended : "" }
  }
}

isUse {
  rest = line
  while (match(rest, /\.[a-z][A-Za-z0-9_]*/)) {
    name = substr(rest, RSTART + 1, RLENGTH - 1)
    rest = substr(rest, RSTART + RLENGTH)
    # Swift's own collections have this member too.
    if (name == "reversed") continue
    if (!(name in member) || member[name] == "several" || of[name] == "") continue
    if (of[name] in home && home[of[name]] != member[name] && !may[room, member[name]]) {
      print FILENAME ":" FNR ": " room " may not know " member[name] ", which adds " name " to " of[name]
    }
  }
  rest = line
  while (match(rest, /[A-Z][A-Za-z0-9_]*/)) {
    name = substr(rest, RSTART, RLENGTH)
    before = RSTART == 1 ? " " : substr(rest, RSTART - 1, 1)
    rest = substr(rest, RSTART + RLENGTH)
    if (before ~ /[A-Za-z0-9_]/ || !(name in home) || home[name] == "several") continue
    if (!may[room, home[name]]) {
      print FILENAME ":" FNR ": " room " may not know " home[name] ", which declares " name
    }
  }
}

function declare(name) {
  if (name in home && home[name] != room) home[name] = "several"
  else home[name] = room
}
