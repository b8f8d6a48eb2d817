# The steps that take hours.

# Compares the public API with that of the last release. Intended changes stand in .ci/api-breaks, one
# message in each line.
step_api() {
  local tag options=(--products ActorBindings)
  if ! tag=$(git describe --tags --abbrev=0 2>/dev/null); then
    echo "there is no tag yet, so there is no released API to compare with"
    return $skipped
  fi
  if [ -f .ci/api-breaks ]; then options+=(--breakage-allowlist-path .ci/api-breaks); fi
  swift package --scratch-path .build/api diagnose-api-breaking-changes "$tag" "${options[@]}"
}

step_exploreDebug() {
  export ACTORBINDINGS_ONLY=ScheduleTests
  explore exploreDebug .build/explorer debug
}

# Explores ten times as many schedules of each scenario as the step `explore`, and many more random programs, in debug
# and in release.
step_far() {
  export ACTORBINDINGS_ONLY=ScheduleTests
  export ACTORBINDINGS_SCHEDULES=${ACTORBINDINGS_SCHEDULES:-10} ACTORBINDINGS_PROGRAMS=${ACTORBINDINGS_PROGRAMS:-2000}
  explore far .build/explorer debug && explore far .build/explorer release
}

# Runs the tests with an optimized library. The tests are not optimized, as in the step `explore`.
step_release() {
  tests release env ACTORBINDINGS_PLAIN_TESTS=1 swift test -c release --disable-xctest --skip "$apart" || return 1
  tests release-kit env ACTORBINDINGS_PLAIN_TESTS=1 \
    swift test -c release --disable-xctest --skip-build --filter "$kit" || return 1
  tests release-apart env ACTORBINDINGS_PLAIN_TESTS=1 \
    swift test -c release --disable-xctest --skip-build --filter "$served"
}

# Optimizes the tests too.
step_stress() {
  tests stress env ACTORBINDINGS_STRESS="${ACTORBINDINGS_STRESS:-20}" swift test -c release --disable-xctest
}

# Makes all rounds of the stress tests under the sanitizers.
step_sanitizers() {
  step_tsan ACTORBINDINGS_STRESS=1 && step_asan ACTORBINDINGS_STRESS=1
}

# Runs everything at once for an hour, or for `ACTORBINDINGS_SOAK` seconds: nothing may be left behind.
step_soak() {
  # Without this setting, freed memory in the caches of threads would count as in use.
  tests soak env ACTORBINDINGS_SOAK="${ACTORBINDINGS_SOAK:-3600}" GLIBC_TUNABLES=glibc.malloc.tcache_count=0 \
    swift test -c release --disable-xctest --filter SoakTests
}

# Kills and freezes members of etcd and processes that share cells over them, for `ACTORBINDINGS_FLEET` seconds. Then
# checks the guarantees of sharing. `ACTORBINDINGS_SEED` is the seed of the faults, which a run prints.
step_fleet() {
  find_etcd || return $skipped
  swift build --product FleetTrial || return 1
  # Without a seed, the trial chooses one.
  # shellcheck disable=SC2086
  "$(swift build --show-bin-path)/FleetTrial" "${ACTORBINDINGS_FLEET:-300}" ${ACTORBINDINGS_SEED:-}
}

# Tests a user's package without the trait of the explorer and with it. Without it, nothing of the explorer may be in the
# program.
step_trait() {
  local options=(--package-path Tests/ExplorerClient) program
  tests trait-off swift test "${options[@]}" --scratch-path .build/trait-off || return 1
  program=$(swift build "${options[@]::2}" --scratch-path .build/trait-off --show-bin-path)/ShopPackageTests.xctest || return 1
  refuse_explorer "$program" || return 1
  tests trait-on swift test "${options[@]}" --traits Explore --scratch-path .build/trait-on
}

# Plants faults: the scenarios must find each fault, and must report nothing without a fault.
step_faults() {
  Tests/Faults/run
}

# Makes changes of all kinds: a test or a scenario must notice each change that is not explained.
step_mutants() {
  Tests/Mutants/run
}
