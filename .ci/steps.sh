# The steps of a whole run.

step_format() {
  if ! swift format --version >/dev/null 2>&1; then
    echo "this toolchain has no swift format"
    return $skipped
  fi
  swift format lint --strict --recursive Package.swift Sources Tests Benchmarks
}

# Prints the names of tests, scenarios and faults that stand behind the clauses of the articles on guarantees.
behind_clauses() {
  awk '/^\*Behind it:\*/, /^$/' Sources/ActorBindings*/ActorBindings*.docc/Guarantees*.md | tr '\n' ' ' \
    | grep -oE '`[^`]+`' | tr -d '`' | sort -u
}

# Prints the names of the scenarios, without the part that distinguishes several explorations of one scenario.
scenarios() {
  cat Tests/ScheduleTests/*.swift | tr -s ' \n' ' ' | grep -oE 'explore\( ?"[^"\]+' \
    | sed -E 's/^[^"]*"//; s/[ ,(]+$//' | sort -u
}

# Prints the names that a room uses although it may not know the room that declares them.
arrows() {
  local files
  mapfile -t files < <(find "${1:-Sources}/ActorBindings" -name '*.swift' | sort)
  awk -f .ci/arrows.awk .ci/rooms "${files[@]}" "${files[@]}"
}

# Prints what `arrows` fails to find: `arrows` must find a type and a member of a higher room, planted in a copy of the
# sources.
planted_arrows() {
  local copy=$logs/arrows type='func planted(_ bag: DisposeBag) {}' member='func planted(_ cell: AnyCell) { _ = cell.holdHostLane() }'
  rm -rf "$copy"
  mkdir -p "$copy"
  cp -R Sources/ActorBindings "$copy"
  printf '%s\n' "$type" >>"$copy/ActorBindings/Platform/Lock.swift"
  printf '%s\n' "$member" >>"$copy/ActorBindings/Cell/Cell.swift"
  arrows "$copy" | grep -q 'Lock.swift:.* Platform may not know Lifetime' || echo "a type is not found"
  arrows "$copy" | grep -q 'Cell.swift:.* Cell may not know Delivery' || echo "a member is not found"
}

# Prints each place at which a room other than Cell runs its own code under the lock of a cell, or reaches what the lock
# guards.
lock_bodies() {
  local files
  mapfile -t files < <(find "${1:-Sources}/ActorBindings" -name '*.swift' -not -path '*/Cell/*' | sort)
  grep -nE 'storedRoster|(cell|Cell|source|target)\.(storedState|lock\.)' "${files[@]}"
  awk '
    isBody { if ($0 !~ /WhileLocked\(/) print place; isBody = 0 }
    /(^|[^a-zA-Z])(locked|written|read)(\(for: [^{]*)?[( ]*\{( \[?[a-z_, ]+\]? (-> .* )?in)?$/ && !/func / {
      isBody = 1
      place = FILENAME ":" FNR ":" $0
    }' "${files[@]}"
}

# Prints a line if `lock_bodies` fails to find three violations that are planted in a copy of the sources.
planted_lock_bodies() {
  local copy=$logs/lock_bodies
  rm -rf "$copy"
  mkdir -p "$copy"
  cp -R Sources/ActorBindings "$copy"
  printf '%s\n' 'func planted(_ cell: AnyCell) {' '  cell.read(for: .reading) { roster in' '    roster.readerJoined()' '  }' '}' \
    >>"$copy/ActorBindings/Delivery/Lane.swift"
  printf '%s\n' 'func planted(_ cell: AnyCell) {' '  cell.locked { roster in' '    roster.readerJoined()' '  }' '}' \
    >>"$copy/ActorBindings/Delivery/Lane.swift"
  printf '%s\n' 'func planted(_ cell: AnyCell) { cell.lock.lock() }' >>"$copy/ActorBindings/Delivery/Lane.swift"
  [ "$(lock_bodies "$copy" | grep -c 'Delivery/Lane.swift')" = 3 ] || echo "a planted body is not found"
}

# Prints the rooms that have over a quarter of the lines of the library.
large_rooms() {
  find Sources/ActorBindings -name '*.swift' -exec wc -l {} + | awk '
    $2 != "total" { room = $2; sub(/.*\/ActorBindings\//, "", room); sub(/\/.*/, "", room); lines[room] += $1; all += $1 }
    END { for (room in lines) if (4 * lines[room] > all) print room ": " lines[room] " of " all " lines" }'
}

# Prints the lines of code in articles and comments that are too long: with DocC's sidebar, a window of 1,280 pixels
# shows 74 characters. What programs print is in blocks of the language `text`, which may be wider.
wide_code() {
  # In this locale each byte is a character, so the later bytes of a character are removed first.
  awk '
    FNR == 1 { isBlock = 0 }
    { line = $0 }
    FILENAME ~ /[.]swift$/ && !sub(/^ *\/\/\/ ?/, "", line) { isBlock = 0; next }
    line ~ /^ *```/ { isOutput = line ~ /```text/; isBlock = !isBlock; next }
    isBlock && !isOutput { gsub(/[\200-\277]/, "", line); if (length(line) > 74) print FILENAME ":" FNR ": " length(line) }
  ' "$@"
}

# Prints a line if `wide_code` misses a line that is planted in an article and in a comment.
planted_wide_code() {
  local copy=$logs/wide_code
  mkdir -p "$copy"
  printf '%s\n' '```swift' "$(printf '%075d' 0)" '```' "$(printf '%075d' 0)" >"$copy/Planted.md"
  printf '%s\n' '  /// ```swift' "  /// $(printf '%075d' 0)" '  /// ```' "// $(printf '%075d' 0)" >"$copy/Planted.swift"
  [ "$(wide_code "$copy/Planted.md" "$copy/Planted.swift" | grep -c ':2: 75')" = 2 ] || echo "a planted line is not found"
}

# Checks the rules that CONTRIBUTING.md lists under *The house*.
step_house() {
  local broken=0 known imports='^ *((public|package|internal|private|fileprivate|@[a-z_A-Z]+) +)*import +'

  refuse "only Delivery imports Dispatch" \
    "$(grep -rnE "${imports}Dispatch" Sources/ActorBindings --include='*.swift' | grep -v '^Sources/ActorBindings/Delivery/')" || broken=1
  refuse "the library imports no Foundation" \
    "$(grep -rnE "${imports}Foundation" Sources/ActorBindings --include='*.swift')" || broken=1
  refuse "one lock: only Platform/Lock.swift uses Mutex" \
    "$(grep -rn 'Mutex' Sources/ActorBindings --include='*.swift' \
      | grep -v '^Sources/ActorBindings/Platform/Lock.swift:' | grep -vE '^[^:]*:[0-9]*: *//')" || broken=1
  refuse "only Platform imports C" \
    "$(grep -rnE "${imports}CActorBindings" Sources/ActorBindings --include='*.swift' \
      | grep -v '^Sources/ActorBindings/Platform/')" || broken=1
  refuse "a room knows only the rooms that .ci/rooms allows" "$(arrows)" || broken=1
  refuse "the check of the rooms finds a planted arrow" "$(planted_arrows)" || broken=1
  refuse "only Cell takes the lock of a cell with a body of its own" "$(lock_bodies)" || broken=1
  refuse "the check of the lock finds a planted body" "$(planted_lock_bodies)" || broken=1
  refuse "no room has over 25 % of the lines of the library" "$(large_rooms)" || broken=1
  refuse "tests wait for events, never for time" \
    "$(grep -rnE 'Task\.sleep|Thread\.sleep|usleep|nanosleep' Tests --include='*.swift')" || broken=1
  refuse "tests see what is public or package" \
    "$(grep -rnE '@testable' Tests)" || broken=1
  # A script makes AllNames.md.
  refuse "no file in Sources is longer than 350 lines" \
    "$(find Sources -type f ! -name AllNames.md -exec wc -l {} + | awk '$2 != "total" && $1 > 350')" || broken=1
  refuse "no line of code in an article or a comment is longer than 74 characters" \
    "$(wide_code $(find Sources/ActorBindings* -name '*.md' -o -name '*.swift'))" || broken=1
  refuse "the check of the code finds a planted line" "$(planted_wide_code)" || broken=1
  refuse "nothing is left to do in a comment" \
    "$(grep -rnwE 'TODO|FIXME' Package.swift README.md CONTRIBUTING.md Sources Tests)" || broken=1
  refuse "the top level has the agreed entries" \
    "$(ls -A | grep -vxE 'Package\.swift|Sources|Tests|Benchmarks|README\.md|CONTRIBUTING\.md' \
      | grep -vxE '\.ci|\.github|\.gitignore|\.swift-format|\.editorconfig|\.spi\.yml' \
      | grep -vxE '\.git|\.build|\.swiftpm|\.DS_Store|\.vscode|\.idea|.*\.xcodeproj|Package\.resolved')" || broken=1
  refuse "the README names the commands that are run here" \
    "$(for command in 'swift run LiveBoard' 'swift run Tour' 'swift test'; do
      grep -qx "$command" README.md || echo "README.md has no line '$command'"
    done)" || broken=1
  refuse "the README has at most 200 lines" \
    "$(awk 'END { if (NR > 200) print "README.md: " NR " lines" }' README.md)" || broken=1
  refuse "CONTRIBUTING.md has a line for each step, with its limit" \
    "$(awk 'NF { print $1, $2 }' <<<"$steps$quick$nightly" | while read -r step limit; do
      grep -qE "^\| \`$step\` \|.* $limit \|" CONTRIBUTING.md || echo "there is no line '| \`$step\` | … | $limit |'"
    done)" || broken=1
  refuse "each suite of scenarios is in .ci/quick.sh" \
    "$(sed -nE 's/^    struct ([A-Z][A-Za-z]*) \{.*/\1/p' Tests/ScheduleTests/*Scenarios.swift | while read -r suite; do
      case " $every_suite " in *" $suite "*) ;; *) echo "$suite is not in every_suite" ;; esac
    done)" || broken=1
  refuse "each fault fits the code" "$(Tests/Faults/run --stale 2>&1 || echo "its status is $?")" || broken=1
  refuse "each guess that is declared has a wrong line in Tests/Guesses" \
    "$(sed -nE 's/^ *public ((static|nonisolated) )*(func|var) `?([A-Za-z]+).*/\4/p' Sources/ActorBindings/Guesses/*.swift \
      | sort -u | while read -r name; do grep -qw "$name" Tests/Guesses/Guesses.swift || echo "there is none for $name"; done)" \
    || broken=1
  refuse "Tests/Guesses has a wrong line for each message that Gotchas quotes" \
    "$(quoted_messages | while read -r message; do
      grep -qF -- "// error: $message" Tests/Guesses/*.swift || echo "there is none that gets: $message"
    done; [ "$(quoted_messages | wc -l)" -ge 7 ] || echo "the quotes were not found")" || broken=1
  known=$({ scenarios; Tests/Faults/run --list; } | sort -u)
  refuse "the tests, scenarios and faults that the articles on guarantees name exist" \
    "$(behind_clauses | while read -r name; do
      [ -n "$(find Tests -name "$name.swift")" ] || grep -qxF -- "$name" <<<"$known" || echo "there is no '$name'"
    done)" || broken=1
  refuse "each scenario and each fault is named behind a clause of the articles on guarantees" \
    "$(comm -13 <(behind_clauses) <(echo "$known"))" || broken=1
  refuse "each survivor that is explained is a change that Tests/Mutants makes" \
    "$(Tests/Mutants/run --stale 2>&1 || echo "its status is $?")" || broken=1
  return $broken
}

# Runs the tests, with warnings as errors, while the runtime watches for misused continuations. Nothing of the explorer
# may be in the program. Then prints, for each room, the share of its lines that the tests ran. A line counts once, even
# if it was specialized several times. (The cases of a `switch` expression count as one line.)
debug_build=(--scratch-path .build/debug-tests --enable-code-coverage -Xswiftc -warnings-as-errors)

# These tests have sockets, files, processes, leases and deadlines by the clock. So they run apart from the others, which
# keep all processors busy.
served='LiveBoardTests|ActorBindingsSharingTests|ActorBindingsEtcdTests'
# The tests of the kit have limits of time. The others make them slow, so they run alone. Under a sanitizer they run one
# after the other.
kit='ActorBindingsTestingTests'
apart="$kit|$served"

step_debug() {
  local tools suite lines=$logs/coverage.lcov check=(env SWIFT_DEBUG_VALIDATE_UNCHECKED_CONTINUATIONS=1)
  tests debug-kit "${check[@]}" swift test "${debug_build[@]}" --filter "$kit" || return 1
  tests debug-apart "${check[@]}" swift test "${debug_build[@]}" --filter "$served" || return 1
  # The coverage is that of the last run.
  tests debug "${check[@]}" swift test "${debug_build[@]}" --skip "$apart" || return 1
  suite=$(swift build "${debug_build[@]}" --show-bin-path) || return 1
  refuse_explorer "$suite/$package" || return 1
  tools=$(dirname "$(readlink -f "$(xcrun --find swift 2>/dev/null || command -v swift)")")
  if [ ! -x "$tools/llvm-cov" ]; then
    echo "this toolchain has no llvm-cov, and another version's cannot read what it writes: no coverage"
    return
  fi
  "$tools/llvm-cov" export -format=lcov "$suite/$package" \
    -instr-profile "$suite/codecov/default.profdata" Sources/ActorBindings >"$lines" || return 1
  echo "not run, in $lines:"
  awk -F '[:,]' '/^SF:/ { file = $2; sub(".*/Sources/", "Sources/", file) } /^DA:/ && $3 == 0 { print file ":" $2 }' \
    "$lines"
  awk -F '[:,]' '
    /^SF:/ { room = $2; sub(".*/Sources/ActorBindings/", "", room); if (!sub("/.*", "", room)) room = "the face" }
    /^DA:/ { all[room]++; run[room] += $3 > 0 }
    END {
      for (room in all) {
        share = 100 * run[room] / all[room]
        core = room ~ /^(Cell|Cursors|Delivery)$/
        if (core) cores++
        low = core && share < 95
        if (low) broken = 1
        printf "%-10s %5.1f %% of %4d lines%s\n", room, share, all[room], low ? ": the core needs 95 %" : ""
      }
      if (cores != 3) { print "the rooms of the core were not found"; broken = 1 }
      exit broken
    }' "$lines"
}

# These steps make a tenth of the rounds of each stress test, and of the pairs of operators: on one thread nothing
# races, the thread sanitizer sees a race of two accesses whether or not they collide, and a sanitizer makes each round
# many times slower. The nightly step `sanitizers` makes all rounds.
few=ACTORBINDINGS_STRESS=0.1

# Values that only one thread uses cannot race: the sanitizers and the step `onethread` leave out the models of
# persistent collections, the articles and the parser of requests.
plain='ModelTests|PersistentArray|PersistentDictionary|DifferenceTests|DictionaryEditTests|OperationTests'
plain="$plain|PageTests|NewestOrderTests|Examples|ArticleTests|ReadmeTests|RequestParserTests|TrapTests|RandomWalkTests"

# Runs the same tests on a pool of one thread: a test that needs a second thread hangs, and so does a test of a promise
# that needs one.
step_onethread() {
  local shim=$PWD/.build/onethread/processors.so cc suite
  cc=$(command -v clang || command -v cc) || return 1
  mkdir -p "${shim%/*}"
  "$cc" -shared -fPIC -O1 -Wall -Wextra -Werror -o "$shim" Tests/OneThread/processors.c -ldl || return 1
  swift build --build-tests "${debug_build[@]}" || return 1
  suite=("$(swift build "${debug_build[@]}" --show-bin-path)/$package" --testing-library swift-testing)

  # First checks that the pool has one thread, and that PoolTests would notice a second thread.
  export ACTORBINDINGS_POOL=1 LLVM_PROFILE_FILE=/dev/null
  LD_PRELOAD=$shim "${suite[@]}" --filter PoolTests || return 1
  if [ "$(nproc)" -gt 1 ] && "${suite[@]}" --filter PoolTests >"$logs/twothreads.log" 2>&1; then
    echo "PoolTests sees no second thread, though this machine has $(nproc) processors"
    return 1
  fi
  suite=(env $few ACTORBINDINGS_POOL=1 LLVM_PROFILE_FILE=/dev/null LD_PRELOAD="$shim" "${suite[@]}")
  tests onethread "${suite[@]}" --skip "$apart|$plain" && tests onethread-kit "${suite[@]}" --filter "$kit" &&
    tests onethread-apart "${suite[@]}" --filter "$served" && return
  # The command that repeats the failed tests must build the tests first.
  echo "swift build --build-tests $(command_line "${debug_build[@]}") && $(cat "$logs/next")" >"$logs/next"
  return 1
}

# Runs the scenarios under very many schedules. The library and the explorer are optimized: this halves the time, and
# inlining changes where tasks hop. The scenarios are not optimized: that would take the compiler minutes. The quick step
# `scenarios` and the nightly step `exploreDebug` explore in debug.
step_explore() {
  local suite
  export ACTORBINDINGS_ONLY=ScheduleTests ACTORBINDINGS_PLAIN_TESTS=1
  explore explore .build/explorer release || return 1
  if [ -n "${ACTORBINDINGS_REPLAY:-}" ]; then return; fi
  suite=$(swift build -c release --traits Explorer --scratch-path .build/explorer --show-bin-path)/$package || return 1
  if command -v nm >/dev/null && { ! nm "$suite" >/dev/null || refuse_explorer "$suite" >/dev/null; }; then
    echo "refuse_explorer finds nothing of the explorer in a program that was built with the trait"
    return 1
  fi
  # These tests must see each failure themselves, so processes cannot divide them.
  tests explorer "$suite" --testing-library swift-testing --filter 'ScheduleTests.Explorer'
}

step_tsan() {
  local options=(--disable-xctest --sanitize=thread --scratch-path .build/tsan)
  tests tsan env "${1:-$few}" swift test "${options[@]}" --skip "$apart|$plain" || return 1
  tests tsan-kit env "${1:-$few}" swift test "${options[@]}" --skip-build --no-parallel --filter "$kit" || return 1
  tests tsan-apart env "${1:-$few}" swift test "${options[@]}" --skip-build --filter "$served"
}

# Compiles the wrong lines of Tests/Guesses against the library that a client was built with: the compiler must answer
# each line with the right spelling.
guesses() {
  local library=(-swift-version 6 -diagnostic-style=llvm -I "$1/Modules"
    -Xcc -fmodule-map-file="$1/CActorBindings.build/module.modulemap")
  swiftc -typecheck -suppress-warnings "${library[@]}" Tests/Guesses/Guesses.swift >"$logs/guesses.log" 2>&1
  awk -f .ci/guesses.awk Tests/Guesses/Guesses.swift "$logs/guesses.log" || return 1
  # The compiler finds the errors in this file after it has checked the types. A warning counts as an error.
  swiftc -emit-sil -o /dev/null "${library[@]}" Tests/Guesses/LateGuesses.swift 2>&1 \
    | sed 's/: warning: /: error: /' >"$logs/guesses.log"
  awk -f .ci/guesses.awk Tests/Guesses/LateGuesses.swift "$logs/guesses.log"
}

# Prints the messages that the article on gotchas quotes, each behind the word "says" and in italics.
quoted_messages() {
  tr '\n' ' ' <Sources/ActorBindings/ActorBindings.docc/Gotchas.md | grep -oE 'says: \*[^*]+\*' \
    | sed -E 's/^says: \*//; s/\*$//; s/\\//g'
}

# Runs a user's package, built with no option but `--sanitize=thread`: a run must report no race, and with `--race` it
# must report the planted race. The package runs in debug and in release, because inlining changes what the sanitizer
# sees of the library.
step_client() {
  local mode options client log=$logs/client.log found
  for mode in debug release; do
    options=(--package-path Tests/Client --scratch-path .build/client -c $mode --sanitize=thread)
    swift build "${options[@]}" || return 1
    client=$(swift build "${options[@]}" --show-bin-path)/Client
    if [ $mode = debug ]; then guesses "${client%/*}" || return 1; fi
    if ! "$client" >"$log" 2>&1; then
      grep -A 30 -m 1 'WARNING: ThreadSanitizer' "$log" || tail -n 20 "$log"
      echo "$mode: the sanitizer reports a race, or a promise is broken. All that it printed: $log"
      return 1
    fi
    # In about one process of five the sanitizer misses the race.
    for _ in 1 2 3 4 5 6 7 8 9 10; do
      TSAN_OPTIONS=halt_on_error=1 "$client" --race >"$log" 2>&1
      found=$(grep -c 'WARNING: ThreadSanitizer' "$log")
      if [ "$found" -ne 0 ]; then break; fi
    done
    if [ "$found" -ne 1 ]; then
      echo "$mode: $found reports of the race that is planted, 1 expected"
      return 1
    fi
    echo "$mode: no report, and one for the race that is planted"
  done
  kit_in_xctest
}

# Runs the tests of the client, which use the test kit from XCTest: they must pass, and a failure must be shown once, at
# the line of the call.
kit_in_xctest() {
  local options=(--package-path Tests/Client --scratch-path .build/client --sanitize=thread --disable-swift-testing)
  local log=$logs/client-xctest.log file=Tests/Client/Tests/ClientTests/KitTests.swift line
  swift test "${options[@]}" >"$log" 2>&1 || { tail -n 40 "$log"; return 1; }
  grep -E 'Executed [0-9]+ tests' "$log" | head -n 1
  ACTORBINDINGS_FAIL=1 swift test "${options[@]}" --skip-build >"$log" 2>&1
  line=$(grep -n '// fails$' $file | cut -d : -f 1)
  if [ "$(grep -c ' error: ' "$log")" -ne 1 ] || ! grep -qE "$file:$line: error: " "$log"; then
    grep ' error: ' "$log"
    echo "these are the failures that XCTest shows, and one at $file:$line is expected"
    return 1
  fi
  echo "XCTest shows a failure of the kit once, at the line of the call"
}

step_asan() {
  local options=(--disable-xctest --sanitize=address --scratch-path .build/asan)
  tests asan env "${1:-$few}" ASAN_OPTIONS=detect_leaks=1 swift test "${options[@]}" --skip "$apart|$plain" || return 1
  tests asan-kit env "${1:-$few}" ASAN_OPTIONS=detect_leaks=1 \
    swift test "${options[@]}" --skip-build --no-parallel --filter "$kit" || return 1
  tests asan-apart env "${1:-$few}" ASAN_OPTIONS=detect_leaks=1 \
    swift test "${options[@]}" --skip-build --filter "$served"
}

# Installs etcd if it is missing and that is possible. Otherwise says so, and fails.
find_etcd() {
  if ! command -v etcd >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && apt-get install -y --no-install-recommends etcd-server; } >"$logs/etcd-install.log" 2>&1
  fi
  command -v etcd >/dev/null && return
  echo "there is no etcd here, and it could not be installed: apt-get install etcd-server"
  return 1
}

# Runs the tests of the store in etcd with members of etcd, which they start on free ports of this machine. No other
# tests run at the same time, because members of etcd on a busy machine elect leaders all the time.
step_etcd() {
  find_etcd || return $skipped
  tests etcd env ACTORBINDINGS_ETCD=1 swift test "${debug_build[@]}" --disable-xctest --filter ActorBindingsEtcdTests
}

# Checks the limits of the counts: allocations, wake-ups, jobs and bytes. Times have no limits, because machines are
# shared. But every workload runs, because each workload checks what it delivered: a wrong result, a trap or a hang
# fails the step.
step_benchmarks() {
  local benchmarks=.build/benchmarks/release/benchmarks status
  swift build -c release --package-path Benchmarks --scratch-path .build/benchmarks || return 1
  $benchmarks --gate Benchmarks/Limits.txt || return 1
  $benchmarks --quick >"$logs/benchmarks.log"
  status=$?
  if [ "$status" -ne 0 ]; then
    tail -n 3 "$logs/benchmarks.log"
    echo "its status is $status: the workload that was named last failed"
    echo "$benchmarks --quick" >"$logs/next"
    return 1
  fi
  echo "Each workload has the right result. Their times, which have no limit: $logs/benchmarks.log"
}

# Runs the Tour into a pipe: its checks must hold, and its output must be plain text.
step_tour() {
  local log=$logs/tour.log tour last name articles=Sources/ActorBindings/ActorBindings.docc
  swift build --product Tour || return 1
  tour=$(swift build --show-bin-path)/Tour
  swift run Tour | tee "$log" || return 1
  if grep -q $'\033' "$log"; then
    echo "it writes escape codes into a pipe"
    return 1
  fi
  last=$(tail -n 1 "$log")
  if [[ $last != 'Next: swift run LiveBoard '* ]]; then
    echo "its last line does not say where to go next: $last"
    return 1
  fi
  [ "$(grep -c '(G[0-9]' "$log")" -ge 5 ] || { echo "its rows name too few promises"; return 1; }
  # The articles and the promises that it names.
  for name in $(grep -oE '[A-Za-z]+\.md' "$log" | sort -u); do
    [ -f "$articles/$name" ] || { echo "there is no article $name"; return 1; }
  done
  for name in $(grep -oE '\bG[0-9]+' "$log" | sort -u); do
    grep -q "^## $name " "$articles/Guarantees.md" || { echo "there is no promise $name"; return 1; }
  done
  # In a terminal, the verdicts have colours, unless the user wants none.
  command -v script >/dev/null || return 0
  echo "Runs Tour again in a terminal, with and without colours: $logs/tour.colours.log, $logs/tour.plain.log"
  if ! env -u NO_COLOR script -qec "$tour" /dev/null >"$logs/tour.colours.log"; then
    tail -n 5 "$logs/tour.colours.log"
    echo "it fails in a terminal"
    return 1
  fi
  if ! grep -q $'\033\\[32mok' "$logs/tour.colours.log"; then
    echo "it writes no colours into a terminal"
    return 1
  fi
  if ! NO_COLOR=1 script -qec "$tour" /dev/null >"$logs/tour.plain.log"; then
    tail -n 5 "$logs/tour.plain.log"
    echo "it fails in a terminal without colours"
    return 1
  fi
  if grep -q $'\033\\[3[0-9]m' "$logs/tour.plain.log"; then
    echo "it writes colours though NO_COLOR is set"
    return 1
  fi
}
