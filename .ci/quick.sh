# The first answer to a change.

# What a room's change can break, beside what all scenarios show of a cell.
suites_of() {
  case $1 in
    Cell | Cursors | Lifetime | . ) echo Streams Observations Ends Meetings Isolations Linearizability Combining Transactions Relays Collections ;;
    Delivery) echo Observations Ends Meetings Isolations Combining Relays Collections ;;
    Streams) echo Streams Ends Combining Relays ;;
    Combining) echo Combining Transactions Relays Times Linearizability ;;
    Time) echo Times ;;
    Binding) echo Relays ;;
    Collections) echo Collections ;;
    Loading) echo LoadingAndActions ;;
    *) echo Streams Observations Ends Meetings Isolations Linearizability Combining Transactions Relays Times Collections LoadingAndActions ;;
  esac
}

# Sets `base`, the commit to compare with: the one that is given, or origin/main, or the last commit, or the one before.
find_base() {
  if [ -n "$since" ]; then
    base=$(git rev-parse --verify --quiet "$since^{commit}") || { echo "There is no commit '$since'" >&2; return 1; }
  elif base=$(git rev-parse --verify --quiet origin/main); then
    since=origin/main
  elif [ -n "$(git status --porcelain)" ]; then
    base=$(git rev-parse HEAD)
    since="the last commit (there is no origin/main)"
  else
    base=$(git rev-parse --verify --quiet HEAD~1 || git rev-parse HEAD)
    since="the commit before the last (there is no origin/main)"
  fi
}

# Prints the files that differ from it.
changed_files() {
  git diff --name-only "$base" --
  git ls-files --others --exclude-standard
}

# Prints the rooms that differ from it.
changed_rooms() {
  changed_files | sed -nE 's|^Sources/ActorBindings/(([A-Za-z]+)/)?[^/]*\.swift$|\2|p' | sed 's/^$/./' | sort -u
}

quick_build=(--scratch-path .build/quick -Xswiftc -warnings-as-errors -Xswiftc -D -Xswiftc EXPLORER)

# One build for the tests and the scenarios: the explorer's flag changes nothing before a scenario begins.
step_build() {
  swift build --build-tests "${quick_build[@]}"
}

slow='Stress|PeerFailure|ModelTests|G14|LiveBoardTests|SoakTests|ScheduleTests'

step_fast() {
  tests fast swift test "${quick_build[@]}" --disable-xctest --skip-build --skip "$slow"
}

step_scenarios() {
  local suites
  suites=$({ changed_rooms | while read -r room; do suites_of "$room"; done
    changed_files | sed -nE 's|^Tests/ScheduleTests/.*\.swift$|all|p; s|^Tests/Explorer/.*|all|p' | head -n 1 \
      | while read -r all; do suites_of "$all"; done; } | tr ' ' '\n' | sort -u | paste -sd '|' -)
  if [ -z "$suites" ]; then
    echo "no room of the library differs from $since"
    return
  fi
  echo "differs from $since: $(changed_rooms | paste -sd ' ' -); scenarios: ${suites//|/ }"
  export ACTORBINDINGS_SCHEDULES=${ACTORBINDINGS_SCHEDULES:-0.1} ACTORBINDINGS_PROGRAMS=${ACTORBINDINGS_PROGRAMS:-10}
  explore scenarios .build/quick debug --filter "ScheduleTests.Schedules.($suites)"
}

left_out() {
  echo "Left out: stress tests, models and the board; nine of ten schedules, and scenarios of other rooms;" \
    "release, one thread, sanitizers, benchmarks, documentation: .ci/run"
  if [ -n "$(changed_rooms)" ]; then
    echo "What would notice a fault in these lines: Tests/Mutants/run --since ${base:0:12};" \
      "Tests/Faults/run --since ${base:0:12}"
  fi
}
