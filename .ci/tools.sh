# Functions that the steps of .ci/run share.

# Kills a process and all its descendants. A deadlocked process obeys only KILL, and `swift test` starts the tests in
# another process group.
end_tree() {
  local child
  # Stops the process first: otherwise it would start its next child while its first children are being killed.
  kill -STOP "$1" 2>/dev/null
  for child in $(pgrep -P "$1"); do end_tree "$child"; done
  kill -KILL "$1" 2>/dev/null
}

# Prints the commands that the descendants of a process run now, each with the time since it began.
running() {
  local child
  for child in $(pgrep -P "$1"); do
    # A process that hangs may also block a look at its arguments.
    timeout -s KILL 5 ps -o etime=,args= -p "$child"
    running "$child"
  done
}

# Runs a step. Kills the step and its children when the limit of the step has passed, or when this script is ended.
within() {
  local seconds=$1 pid watchdog status
  shift
  "$@" &
  pid=$!
  (
    sleep "$seconds" &
    trap 'kill $!; exit' TERM
    wait $!
    running "$pid" >"$logs/running"
    end_tree "$pid"
  ) >/dev/null 2>&1 &
  watchdog=$!
  trap 'kill -TERM '"$watchdog"'; end_tree '"$pid"'; exit 130' INT TERM HUP
  wait "$pid" 2>/dev/null
  status=$?
  trap - INT TERM HUP
  kill -TERM "$watchdog" 2>/dev/null
  wait "$watchdog" 2>/dev/null
  return $status
}

# Runs a test command, and also checks its output: the runtime reports a continuation that is resumed twice or never,
# but does not end the process.
tests() {
  local log=$logs/$1.log status
  shift
  command_line "$@" >"$logs/command"
  echo "$log" >"$logs/log"
  "$@" 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  if grep -q 'SWIFT TASK CONTINUATION MISUSE' "$log"; then
    echo "a continuation was misused, see above"
    status=1
  fi
  if [ "$status" -ne 0 ]; then
    next_after_tests
    return 1
  fi
}

# Notes the command that repeats only the tests that failed.
next_after_tests() {
  local filter command
  command=$(cat "$logs/command")
  filter=$(failed_tests "$(cat "$logs/log")" | head -n 5 | pattern_of)
  # The repeated command must build again.
  command=${command/ --skip-build/}
  if [ -n "$filter" ]; then
    # Removes the filters that the command has already: they would add to the new filter.
    echo "$(sed -E "s/ --(filter|skip) ('[^']*'|[^ ]+)//g" <<<"$command") --filter '$filter'"
  else
    # The tests ended or hung without a failed test. Run one test after the other: the last test that starts is the
    # cause.
    echo "$command --no-parallel"
  fi >"$logs/next"
}

# Prints the names of the tests that failed in a log.
failed_tests() {
  sed -nE -e '/^[^ ]+ +Test "/!b plain' \
    -e 's/^[^ ]+ +Test "(([^"\]|\\.)*)"( with [0-9]+ test cases?)? (recorded an issue|failed) .*/\1/p' -e b -e ':plain' \
    -e 's/^[^ ]+ +Test ([A-Za-z_][A-Za-z0-9_]*\().* (recorded an issue|failed) .*/\1/p' "$1" | awk '!seen[$0]++'
}

# Reads names of tests, one in each line, and makes a pattern that matches these tests.
pattern_of() {
  sed -E "s/[][().*+?^$|{}\\'\"]/./g" | paste -sd '|' -
}

# Prints a command as a user would type it.
command_line() {
  local word line=
  for word in "$@"; do
    case $word in
      env) ;;
      *[!A-Za-z0-9_./=:,+-]*) line="$line '$word'" ;;
      *) line="$line $word" ;;
    esac
  done
  echo "${line# }"
}

# Prints whether a rule holds, and the findings that violate it.
refuse() {
  local rule=$1 findings=$2
  if [ -z "$findings" ]; then
    echo "ok: $rule"
  else
    printf '%s\n' "BROKEN: $rule" "$findings"
    return 1
  fi
}

# Runs a command up to a given number of times, every 0.1 s, until it succeeds.
until_true() {
  local turn turns=$1
  shift
  for ((turn = 0; turn < turns; turn++)); do
    "$@" && return
    sleep 0.1
  done
  return 1
}

# Fails if a program that was built without the trait of the explorer contains the explorer, or the explorer's
# replacement of a function of the runtime.
refuse_explorer() {
  local names=$logs/names
  if ! command -v nm >/dev/null; then
    echo "there is no nm here: not checked whether the explorer is in a program without its trait"
    return
  fi
  nm "$1" >"$names" || return 1
  if grep -m 5 -E 'ExplorationWorld|Strand|T swift_task_switch' "$names"; then
    echo "these names of the explorer are in a program that was built without the trait: $1"
    return 1
  fi
}

# Builds the scenarios, and explores them in two processes, which divide the scenarios. Prints how much was explored.
#
#   explore STEP SCRATCH MODE [--filter …]
#
# With ACTORBINDINGS_REPLAY, one process runs only that schedule.
explore() {
  local step=$1 scratch=$2 mode=$3 share log failed status=0 process processes='1 2' pids=() binary
  shift 3
  # Assertions are checked in release too.
  local options=(-c "$mode" --scratch-path "$scratch" --traits Explorer -Xswiftc -assert-config -Xswiftc Debug)
  # Uses the flags of the quick build in the same order: otherwise everything would be built again.
  if [ "$scratch" = .build/quick ]; then options=("${quick_build[@]}"); fi
  swift build --build-tests "${options[@]}" || return 1
  binary=$(swift build "${options[@]}" --show-bin-path)/$package || return 1
  share=$PWD/$logs/$step.share
  rm -rf "$share"
  mkdir -p "$share"
  if [ -n "${ACTORBINDINGS_REPLAY:-}" ]; then processes=1; fi
  # With glibc, this setting makes a use of freed memory end the process at once, instead of reading the old content.
  export GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=165
  for process in $processes; do
    ACTORBINDINGS_SHARE=$share ACTORBINDINGS_CORE=$((process - 1)) "$binary" --testing-library swift-testing \
      "${@:---filter=ScheduleTests.Schedules}" >"$logs/$step-$process.log" 2>&1 &
    pids+=($!)
  done
  : >"$logs/$step.log"
  for process in $processes; do
    log=$logs/$step-$process.log
    failed=0
    wait "${pids[process - 1]}" || failed=1
    if grep -q 'SWIFT TASK CONTINUATION MISUSE' "$log"; then failed=1; fi
    # If the process failed, prints its log without the lines on what went well.
    if [ $failed -ne 0 ]; then
      status=1
      grep -vE '^(explored|replayed) |^◇|✔' "$log"
      next_after_exploring "$step" "$log"
    fi
    cat "$log" >>"$logs/$step.log"
  done
  if [ $status -ne 0 ]; then return 1; fi
  if [ -n "${ACTORBINDINGS_REPLAY:-}" ]; then
    grep -F "replayed ${ACTORBINDINGS_REPLAY%=*}: " "$logs/$step.log" && return
    echo "there is no scenario '${ACTORBINDINGS_REPLAY%=*}'"
    return 1
  fi
  grep -h 'Test run with' "$logs/$step.log"
  awk '
    /^explored / {
      explorations++
      if (/ \(all\)/) whole++
      sub(/.*: /, "")
      count = split($0, part, ", ")
      for (i = 1; i <= count; i++) { split(part[i], word, " "); schedules += word[1] }
    } END {
      printf "%d explorations of %d schedules; %d came to their end\n", explorations, schedules, whole
      exit explorations == 0
    }' "$logs/$step.log"
}

# Notes the command that repeats the failed schedule, or the test in which the process ended.
next_after_exploring() {
  local replay last
  if grep -q '^ACTORBINDINGS_REPLAY' "$logs/next" 2>/dev/null; then return; fi
  replay=$(grep -ho "ACTORBINDINGS_REPLAY='[^']*'" "$2" | head -n 1)
  if [ -n "$replay" ]; then
    echo "$replay .ci/run $1"
  else
    last=$(sed -nE 's/.*Test "(.*)" started\.$/\1/p' "$2" | tail -n 1)
    echo ".ci/run $1   # it ended in the test \"$last\""
  fi >"$logs/next"
}
