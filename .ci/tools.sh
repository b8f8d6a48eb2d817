# What the steps of .ci/run have in common.

# Runs a step in a process group of its own, and ends all of it after its seconds: a deadlocked process obeys KILL only.
within() {
  local seconds=$1 pid watchdog status
  shift
  set -m
  "$@" &
  pid=$!
  (sleep "$seconds" && kill -KILL -- -"$pid") >/dev/null 2>&1 &
  watchdog=$!
  set +m
  trap 'kill -KILL -- -'"$pid"' -'"$watchdog"' 2>/dev/null; exit 130' INT TERM
  wait "$pid" 2>/dev/null
  status=$?
  trap - INT TERM
  # What the step has left running ends with it.
  kill -KILL -- -"$watchdog" -"$pid" 2>/dev/null
  wait "$watchdog" 2>/dev/null
  return $status
}

# Runs a test command, and reads what it prints too: the runtime reports a continuation that is resumed twice or never,
# but ends no process for it.
tests() {
  local log=$logs/$1.log status
  shift
  "$@" 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  if grep -q 'SWIFT TASK CONTINUATION MISUSE' "$log"; then
    echo "a continuation was misused, see above"
    status=1
  fi
  if [ "$status" -ne 0 ]; then
    next_after "$log" "$@"
    return 1
  fi
}

# Notes the command that repeats only the tests that failed in a test command's log.
next_after() {
  local log=$1 filter command
  shift
  command=$(command_line "$@")
  filter=$(sed -nE 's/.*Test "?([^"]*[^" ])"?( with [0-9]+ test cases?)? (recorded an issue|failed) .*/\1/p' "$log" \
    | awk '!seen[$0]++' | head -n 5 | pattern_of)
  # A process that ends in a test names no failure: the tests that had begun and not ended are candidates.
  if [ -z "$filter" ]; then
    filter=$(awk '
      / Test .* started\.$/ { name = $0; sub(/^.* Test "?/, "", name); sub(/"? started\.$/, "", name); open[name] = 1 }
      / Test .* passed after / { name = $0; sub(/^.* Test "?/, "", name); sub(/"?( with [0-9]+ test cases?)? passed after .*/, "", name); delete open[name] }
      END { for (name in open) print name }' "$log" | head -n 5 | pattern_of)
  fi
  if [ -n "$filter" ]; then
    # Another filter of the command would add to this one, and what is mended must be built.
    echo "$(sed -E "s/ --(filter|skip) ('[^']*'|[^ ]+)//g; s/ --skip-build//" <<<"$command") --filter '$filter'"
  else
    echo "$command"
  fi >"$logs/next"
}

# A pattern that finds tests by their names, one a line.
pattern_of() {
  sed -E "s/[][().*+?^$|{}\\'\"]/./g" | paste -sd '|' -
}

# A command as it is typed, with the variables that the step has set for it.
command_line() {
  local word line=
  for word in ${variables[@]+"${variables[@]}"} "$@"; do
    case $word in
      *[!A-Za-z0-9_./=:,+-]*) line="$line '$word'" ;;
      *) line="$line $word" ;;
    esac
  done
  echo "${line# }"
}

# Prints what stands where it must not, and why.
refuse() {
  local rule=$1 findings=$2
  if [ -z "$findings" ]; then
    echo "ok: $rule"
  else
    printf '%s\n' "BROKEN: $rule" "$findings"
    return 1
  fi
}

# Asks at most this number of times, ten times a second, whether a command succeeds.
until_true() {
  local turn turns=$1
  shift
  for ((turn = 0; turn < turns; turn++)); do
    "$@" && return
    sleep 0.1
  done
  return 1
}

# Builds the scenarios, and explores them in two processes, which share them. Prints how much was explored.
#
#   explore NAME SCRATCH MODE [--filter …]
#
# With ACTORBINDINGS_REPLAY, one process runs that schedule only.
explore() {
  local name=$1 scratch=$2 mode=$3 share log status=0 process processes='1 2' pids=() binary
  shift 3
  local options=(-c "$mode" --scratch-path "$scratch" -Xswiftc -D -Xswiftc EXPLORER)
  if [ "$scratch" = .build/quick ]; then options+=(-Xswiftc -warnings-as-errors); fi
  swift build --build-tests "${options[@]}" || return 1
  binary=$(swift build "${options[@]}" --show-bin-path)/$package || return 1
  share=$PWD/$logs/$name.share
  rm -rf "$share"
  mkdir -p "$share"
  if [ -n "${ACTORBINDINGS_REPLAY:-}" ]; then processes=1; fi
  # With glibc, a use of memory after it was freed ends the process at once, instead of reading what was there before.
  export GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=165
  for process in $processes; do
    ACTORBINDINGS_SHARE=$share ACTORBINDINGS_CORE=$((process - 1)) "$binary" --testing-library swift-testing \
      "${@:---filter=ScheduleTests}" >"$logs/$name-$process.log" 2>&1 &
    pids+=($!)
  done
  : >"$logs/$name.log"
  for process in $processes; do
    log=$logs/$name-$process.log
    wait "${pids[process - 1]}" || status=1
    if grep -q 'SWIFT TASK CONTINUATION MISUSE' "$log"; then status=1; fi
    # What was explored is summed up; everything else is printed if something went wrong.
    if [ $status -ne 0 ]; then grep -vE '^(explored|replayed) |^◇|✔' "$log"; fi
    cat "$log" >>"$logs/$name.log"
  done
  grep '^replayed' "$logs/$name.log"
  awk -v replays="${ACTORBINDINGS_REPLAY:+1}" '
    /^explored / {
      explorations++
      if (/ \(all\)/) whole++
      sub(/.*: /, "")
      count = split($0, part, ", ")
      for (i = 1; i <= count; i++) { split(part[i], word, " "); schedules += word[1] }
    } END {
      if (replays) exit 0
      printf "%d explorations of %d schedules; %d came to their end\n", explorations, schedules, whole
      exit explorations == 0
    }' "$logs/$name.log" || status=1
  if [ $status -ne 0 ]; then next_after_exploring "$name"; fi
  return $status
}

next_after_exploring() {
  local step=$1 replay
  replay=$(grep -ho "ACTORBINDINGS_REPLAY='[^']*'" "$logs/$step.log" | head -n 1)
  echo "${replay:+$replay }.ci/run $step" >"$logs/next"
}
