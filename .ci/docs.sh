# The step that builds the documentation, and checks it.

# The modules that have documentation. The articles of a module may link to those of the modules before it.
documented='ActorBindingsSharing ActorBindingsEtcd ActorBindingsTesting ActorBindingsExplorer ActorBindings'

# Prints the groups of a built page that DocC has made by kind: they hold what the groups of the catalog leave out. The
# members that implement a protocol may stay in such a group, "Default Implementations".
groups_by_kind() {
  local kinds='Classes|Enumerations|Functions|Initializers|Operators|Protocols|Structures|Subscripts|Variables'
  kinds="$kinds|Associated Types|Enumeration Cases|Instance (Methods|Properties)|Type (Aliases|Methods|Properties)"
  [ -f "$1" ] || { echo "there is no page $1"; return; }
  grep -oE '\{[^{}]*"generated":true[^{}]*\}' "$1" | sed -E 's/.*"title":"([^"]*)".*/\1/' | grep -xE "$kinds"
}

# Prints the members that a page of a catalog leaves out although the page groups members by task.
left_out_of_groups() {
  local module symbol page
  for module in $documented; do
    for symbol in $(sed -snE '1s/^# ``(.*)``$/\1/p' "Sources/$module/$module.docc"/*.md); do
      page=$module/$symbol
      if [ "$symbol" = "$module" ]; then page=$module; fi
      page=.build/$module.doccarchive/data/documentation/$(tr '[:upper:]' '[:lower:]' <<<"$page").json
      groups_by_kind "$page" | sed "s/^/$symbol: /"
    done
  done
  # This page has no groups of its own.
  page=.build/ActorBindings.doccarchive/data/documentation/actorbindings/disposebag.json
  groups_by_kind "$page" | grep -q 'Instance Methods' || echo "this check finds no group in $page"
}

# Prints how the article on all names differs from the symbol graphs.
differing_names() {
  local tool=.build/docs/allnames made=$logs/AllNames.md article=Sources/ActorBindings/ActorBindings.docc/AllNames.md
  swiftc -parse-as-library -swift-version 6 Tests/Names/AllNames.swift -o $tool || return
  # The landing page of the library itself comes first.
  # shellcheck disable=SC2086
  $tool .build/docs/symbolgraphs ActorBindings ${documented% *} >"$made" || return
  cmp -s "$made" $article && return
  diff $article "$made"
  echo "If the names are right: cp $made $article"
}

step_docs() {
  rebuilds_rows || return 1
  local docc
  docc=$(command -v docc || xcrun --find docc 2>/dev/null)
  if [ -z "$docc" ]; then
    echo "this toolchain has no docc"
    return $skipped
  fi
  local symbols=.build/docs/symbolgraphs module links=()
  for module in ActorBindingsEtcd ActorBindingsTesting ActorBindingsExplorer; do
    swift build --target $module --scratch-path .build/docs --traits Explorer \
      -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc $symbols || return 1
  done
  refuse "the article on all names has what the symbol graphs have" "$(differing_names 2>&1)" || return 1
  # Each catalog gets the symbols of its own module only.
  for module in $documented; do
    rm -rf "$symbols-$module"
    mkdir -p "$symbols-$module"
    cp "$symbols/$module".symbols.json "$symbols/$module"@*.symbols.json "$symbols-$module" 2>/dev/null
    "$docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$symbols-$module" \
      --fallback-display-name "$module" --fallback-bundle-identifier "swift-actor-bindings.$module" \
      --enable-experimental-external-link-support "${links[@]}" \
      --output-path ".build/$module.doccarchive" --warnings-as-errors || return 1
    links+=(--dependency ".build/$module.doccarchive")
  done
  refuse "the pages that group members by task have all members in their groups" "$(left_out_of_groups)" || return 1
  build_site "$docc" && look_at_site
}

# Makes one static site of the documentation of all modules: .build/site.
build_site() {
  local archives=() module
  for module in ActorBindings ${documented% *}; do archives+=(".build/$module.doccarchive"); done
  rm -rf .build/site
  "$1" merge "${archives[@]}" --synthesized-landing-page-name ActorBindings --output-path .build/site || return 1
  # Each page asks for this file.
  echo '{}' >.build/site/theme-settings.json
  echo "The site: Tests/Pages/serve .build/site 8080, then http://127.0.0.1:8080/documentation/actorbindings"
}

# Looks at the pages of the site in a browser.
look_at_site() {
  local log=$logs/site.log pid status=1
  if ! command -v perl >/dev/null; then
    echo "there is no perl here to serve the site, so its pages were not checked"
    return
  fi
  : >"$log"
  Tests/Pages/serve .build/site >"$log" 2>&1 &
  pid=$!
  if until_true 100 grep -q '^http://127' "$log"; then
    Tests/Pages/look "$(head -n 1 "$log")/documentation/actorbindings" Tests/Pages/Docs.js
    # Status 77: this machine has no browser, and the script has already said so.
    case $? in 0 | 77) status=0 ;; esac
  else
    cat "$log"
  fi
  kill $pid
  return $status
}
