# The step that tests the live board from outside.

# Serves the board as in the README, and tests it from outside.
step_liveboard() {
  if ! command -v curl >/dev/null; then
    echo "there is no curl here"
    return $skipped
  fi
  swift build --product LiveBoard || return 1
  local board log=$logs/liveboard.log url= board_pid curl_pid status=1
  board=$(swift build --show-bin-path)/LiveBoard
  : >"$log"
  "$board" --port 0 >"$log" 2>&1 &
  board_pid=$!
  until_true 100 grep -q '^http://127' "$log" && url=$(head -n 1 "$log")
  if [ -n "$url" ] && answers && complains && sheds_clients && admits_silence; then
    # Checks that a client that still follows gets the end, and that everything ends within seconds.
    rm -f "$logs/liveboard.events"
    curl -sSN --max-time 20 -o "$logs/liveboard.events" "$url/events" &
    curl_pid=$!
    until_true 100 has_metric 'streams 1'
    kill -TERM $board_pid
    until_true 200 ended $board_pid && wait $board_pid && wait $curl_pid && grep -q '^data: ' "$logs/liveboard.events" \
      && status=0
    if [ $status -eq 0 ]; then echo "it drained, and ended"; else echo "it did not end as it should"; fi
  fi
  if [ $status -ne 0 ]; then
    kill -KILL $board_pid ${curl_pid:-} 2>/dev/null
    wait $board_pid ${curl_pid:-} 2>/dev/null
    cat "$log"
  fi
  return $status
}

# Checks the page, a stream, the figures, and what the server refuses.
answers() {
  local code expected arguments
  while read -r expected arguments; do
    code=$(eval "curl -s --max-time 10 -o '$logs/liveboard.answer' -w '%{http_code}' $arguments")
    if [ "$code" != "$expected" ]; then
      echo "curl $arguments: $code and not $expected"
      return 1
    fi
  done <<'END'
200 $url/
200 --http1.0 $url/metrics
200 $url/source/README.md
200 $url/source/Board/Binder.swift
404 $url/source/Package.swift
404 --path-as-is $url/source/../README.md
200 $url/cells
200 $url/cells.json
404 $url/nowhere
405 -X POST $url/
501 -X BREW $url/
405 -d body $url/
200 -X GET -d body $url/
200 -X POST -H "Transfer-Encoding: chunked" -d body "$url/rate?is=40"
413 -X GET -d "$(printf %020000d 0)" $url/
405 -d "$(printf %020000d 0)" $url/
421 -H "Host: evil.example" $url/
200 -I $url/
400 --request-target nowhere $url/
414 "$url/$(printf %03000d 0)"
431 -H "X: $(printf %09000d 0)" $url/
END
  # Removes the file of an earlier run: it is no answer of this run.
  rm -f "$logs/liveboard.events"
  curl -sN --max-time 30 -o "$logs/liveboard.events" "$url/events?symbol=ACME" &
  local pid=$!
  until_true 200 grep -qs '^data: {"ACME"' "$logs/liveboard.events"
  kill $pid
  wait $pid 2>/dev/null
  if ! grep -q '^data: {"ACME":[0-9]*}$' "$logs/liveboard.events" || grep -q BOLT "$logs/liveboard.events"; then
    echo "the stream of ACME is another one:"
    cat "$logs/liveboard.events"
    return 1
  fi
  echo "it answers, and refuses, as it should"
  local script path
  for script in LiveBoard LiveBoardWindows LiveBoardCells; do
    path=
    [ $script != LiveBoardCells ] || path=/cells
    Tests/Pages/look "$url$path" Tests/Pages/$script.js
    # Status 77: this machine has no browser, and the script has already said so.
    case $? in 0) ;; 77) return 0 ;; *) return 1 ;; esac
  done
  for path in '' /cells; do
    SIZE=320x844 Tests/Pages/look "$url$path" Tests/Pages/Narrow.js || return 1
  done
  accessible || return 1
  # Makes the pictures again, without committing them: a page that has become empty, or too wide, fails.
  BOARD=$board Tests/Pages/picture "$logs/pictures" 0.02
}

# Lets axe-core look for obstacles in the pages, if `AXE` names its file `axe.min.js`: this package has no copy of it.
accessible() {
  local path
  if [ -z "${AXE:-}" ]; then
    echo "AXE names no file of axe-core, so nothing looked for obstacles in the pages"
    return
  fi
  for path in '' /cells; do
    Tests/Pages/look "$url$path" Tests/Pages/Axe.js || return 1
    SCHEME=dark SIZE=320x844 Tests/Pages/look "$url$path" Tests/Pages/Axe.js || return 1
  done
}

# Checks what the board says about a wrong command line, and about a port that is taken.
complains() {
  local errors=$logs/liveboard.errors
  has_failed 2 "there is no option '--prot'" --prot 80 && has_failed 1 \
    'port [0-9]+ is taken by another program; port [0-9]+ is free: --port [0-9]+$' "--port=${url##*:}" \
    && "$board" -h | grep -e --port >/dev/null && echo "it says what is wrong with a command line"
}

# Checks that the board ends with a status, and prints a text as an error and nothing else.
has_failed() {
  local status=$1 text=$2 output code
  shift 2
  output=$("$board" "$@" 2>"$errors")
  code=$?
  [ $code -eq "$status" ] && [ -z "$output" ] && grep -E -e "$text" "$errors" >/dev/null && return
  echo "LiveBoard $*: status $code, and"
  cat "$errors"
  return 1
}

# Lets clients come and go, half of them without closing, and checks that nothing of them is left.
sheds_clients() {
  local name before
  before=$(open_files)
  "$board" --churn 20 --clients 100 --port "${url##*:}" || return 1
  # The one connection is that of the request for this count.
  until_true 100 has_metric 'connections 1' || { echo "not back at 1: connections"; return 1; }
  until_true 100 has_files "$before" || { echo "$(open_files) files are open, and were $before"; return 1; }
  for name in streams stalled sessions 'observers{cell="ticker"}' 'observers{cell="agenda"}' \
    'observers{cell="audience"}' 'observers{cell="condition"}'; do
    until_true 100 has_metric "$name 0" && continue
    echo "not back at 0: $name"
    return 1
  done
  echo "nothing is left of 2,000 clients"
}

# Stops another board, and later ends it, and checks what its page says meanwhile.
admits_silence() {
  local log=$logs/liveboard.silent said=$logs/liveboard.said url= pid look status
  : >"$log"
  : >"$said"
  "$board" --port 0 >"$log" 2>&1 &
  pid=$!
  until_true 100 grep -q '^http://127' "$log" && url=$(head -n 1 "$log")
  SERVER=ends Tests/Pages/look "$url" Tests/Pages/LiveBoardSilence.js >"$said" &
  look=$!
  # If the page does not say what is expected, it fails, and says why.
  says live && kill -STOP $pid && says grey
  kill -CONT $pid
  says 'live again'
  kill -KILL $pid
  wait $pid 2>/dev/null
  wait $look
  status=$?
  cat "$said"
  # Status 77: this machine has no browser.
  [ $status -eq 0 ] || [ $status -eq 77 ]
}

# Waits until the page says something. Fails if its script ends before that.
says() {
  until_true 300 said_or_ended "$1" && has_said "$1"
}

said_or_ended() {
  has_said "$1" || ended $look
}

has_said() {
  grep -qx "the page says: $1" "$said"
}

# Prints the number of files that the board has open. The number is zero where the system has no folder of open files.
open_files() {
  ls "/proc/$board_pid/fd" 2>/dev/null | wc -l
}

has_files() {
  [ "$(open_files)" -le "$1" ]
}

has_metric() {
  curl -s --max-time 10 "$url/metrics" | grep -xF "liveboard_$1" >/dev/null
}

ended() {
  ! kill -0 "$1" 2>/dev/null
}
