# The steps of a quick check of a change.

every_suite='Streams Logs Observations Lanes Ends Meetings Isolations Linearizability Combining Transactions Relays RelayTurns Times Collections Keys LoadingAndActions Erased Parts AsyncFunctions Lists Control Quiescence'

# Prints the suites of scenarios that test a room, or use it most.
suites_of() {
  case $1 in
    Delivery) echo Observations Lanes Ends Meetings Isolations Combining Relays Collections ;;
    Streams) echo Streams Logs Ends Meetings Combining Relays Times LoadingAndActions AsyncFunctions ;;
    Combining) echo Combining Lists Control Keys Transactions Relays Times Linearizability ;;
    Relays) echo Relays RelayTurns Times AsyncFunctions Combining Quiescence ;;
    Transactions) echo Transactions Linearizability ;;
    Binding) echo Relays Parts ;;
    Collections | Persistent) echo Collections Keys ;;
    Loading) echo LoadingAndActions AsyncFunctions Quiescence ;;
    # No code of this room runs.
    Guesses) ;;
    # Every suite uses Platform, Cell, Cursors, Lifetime and the face. A new room runs every suite too.
    *) echo "$every_suite" ;;
  esac
}

# Sets `base`, the commit to compare with: the given commit; otherwise the commit at which this branch left origin/main;
# otherwise the last commit if files have changed since; otherwise the commit before the last.
find_base() {
  if [ -n "$since" ]; then
    base=$(git rev-parse --verify --quiet "$since^{commit}") || { echo "There is no commit '$since'" >&2; return 1; }
  elif base=$(git merge-base origin/main HEAD 2>/dev/null || git rev-parse --verify --quiet origin/main); then
    since=origin/main
  elif [ -n "$(git status --porcelain)" ]; then
    base=$(git rev-parse HEAD)
    since="the last commit (there is no origin/main)"
  else
    base=$(git rev-parse --verify --quiet HEAD~1 || git rev-parse --verify HEAD) \
      || { echo "There is no commit to compare with" >&2; return 1; }
    since="the commit before the last (there is no origin/main)"
  fi
}

# Prints the files that differ from `base`.
changed_files() {
  git -c core.quotePath=false diff --name-only --no-renames "$base" --
  git -c core.quotePath=false ls-files --others --exclude-standard
}

# Prints the rooms that differ from `base`: `face` for files that are in no room.
changed_rooms() {
  changed_files | sed -nE 's|^Sources/ActorBindings/(([A-Za-z]+)/)?.*\.swift$|\2|p' | sed 's/^$/face/' | sort -u
}

quick_build=(--scratch-path .build/quick -Xswiftc -warnings-as-errors --traits Explorer)

# Makes one build for the tests and the scenarios: until a scenario begins, the trait `Explorer` changes nothing.
step_build() {
  swift build --build-tests "${quick_build[@]}"
}

slow='Stress|PeerFailure|ModelTests|G14|LiveBoardTests|SoakTests|ScheduleTests'

# Stops a few seconds after the first failure: otherwise a test that waits for a lost wake-up would wait until the
# limit.
step_fast() {
  local log=$logs/fast.log pid patience=20 status
  command_line swift test "${quick_build[@]}" --disable-xctest --skip "$slow" >"$logs/command"
  echo "$log" >"$logs/log"
  "$(swift build "${quick_build[@]}" --show-bin-path)/$package" --testing-library swift-testing --skip "$slow" \
    >"$log" 2>&1 &
  pid=$!
  while kill -0 $pid 2>/dev/null; do
    sleep 0.2
    if grep -q 'recorded an issue' "$log"; then patience=$((patience - 1)); fi
    if [ $patience -eq 0 ]; then end_tree $pid; fi
  done
  wait $pid 2>/dev/null
  status=$?
  grep -hE 'recorded an issue|^↳|Fatal error|Test run with|MISUSE' "$log"
  if [ $status -eq 0 ] && ! grep -q 'SWIFT TASK CONTINUATION MISUSE' "$log"; then return; fi
  grep -q 'recorded an issue' "$log" || tail -n 20 "$log"
  echo "All that it printed: $log"
  next_after_tests
  return 1
}

step_scenarios() {
  local rooms suites
  if [ -n "${ACTORBINDINGS_REPLAY:-}" ]; then
    explore scenarios .build/quick debug
    return
  fi
  rooms=$(changed_rooms)
  if changed_files | grep -E '^(Package\.swift$|Tests/ScheduleTests/|Sources/C?ActorBindingsExplorer/)' >/dev/null; then rooms="$rooms scenarios"; fi
  suites=$(for room in $rooms; do suites_of "$room"; done | tr ' ' '\n' | sort -u | paste -sd '|' -)
  if [ -z "$suites" ]; then
    echo "no room of the library differs from $since: no scenario is explored"
    return
  fi
  echo "differs from $since:" $rooms
  echo "scenarios: ${suites//|/ }"
  export ACTORBINDINGS_SCHEDULES=${ACTORBINDINGS_SCHEDULES:-0.1} ACTORBINDINGS_PROGRAMS=${ACTORBINDINGS_PROGRAMS:-10}
  explore scenarios .build/quick debug --filter "ScheduleTests.Schedules.($suites)"
}

left_out() {
  echo "Left out: stress tests, models and the board; nine of ten schedules, and scenarios of other rooms;" \
    "one thread, sanitizers, benchmarks, documentation: .ci/run"
  if [ -n "$(changed_rooms)" ]; then
    echo "To check that the tests would notice a fault in these lines: Tests/Mutants/run --since ${base:0:12};" \
      "Tests/Faults/run --since ${base:0:12}"
  fi
}
