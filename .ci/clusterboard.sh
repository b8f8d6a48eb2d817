# The step that tests the cluster board from outside.

# Starts the cluster board as in the README, over a folder and, if etcd is installed, over three members of etcd.
step_clusterboard() {
  swift build --product ClusterBoard || return 1
  press_buttons_over '' 3 || return 1
  if command -v etcd >/dev/null; then
    press_buttons_over '--etcd 3' 6
  else
    echo "there is no etcd here, so the board was checked only over a folder"
  fi
}

# Starts the cluster board with options, presses its buttons, and checks that it leaves nothing behind.
#
#   press_buttons_over OPTIONS PROCESSES
press_buttons_over() {
  local log=$logs/clusterboard.log url= pid members status=1 folder
  folder=$(mktemp -d)
  # Empties the file here: the program may open it after the first look for its address.
  : >"$log"
  # shellcheck disable=SC2086
  TMPDIR=$folder "$(swift build --show-bin-path)/ClusterBoard" --port 0 $1 >"$log" 2>&1 &
  pid=$!
  until_true 100 grep -q '^http://127' "$log" && url=$(head -n 1 "$log")
  if [ -n "$url" ] && until_true 100 has_members "$2"; then
    members=$(pgrep -P $pid)
    Tests/Pages/look "$url" Tests/Pages/ClusterBoard.js
    # Status 77: this machine has no browser, and the script has already said so.
    case $? in 0 | 77) status=0 ;; esac
    kill -TERM $pid
    if ! until_true 200 ended $pid; then
      echo "it did not end on SIGTERM"
      status=1
    fi
    for pid in $pid $members; do
      ended "$pid" && continue
      echo "process $pid is left behind"
      kill -KILL "$pid"
      status=1
    done
    if [ -n "$(ls -A "$folder")" ]; then
      echo "files are left behind: $(ls -A "$folder")"
      status=1
    fi
  else
    echo "it did not start its processes"
    kill -KILL $pid
  fi
  rm -rf "$folder"
  [ $status -eq 0 ] || cat "$log"
  return $status
}

has_members() {
  [ "$(pgrep -P $pid | wc -l)" = "$1" ]
}
