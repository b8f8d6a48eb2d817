# The step that builds the documentation.

# The modules that have documentation. The articles of a module may link to those of the modules before it.
documented='ActorBindingsSharing ActorBindingsEtcd ActorBindingsTesting ActorBindingsExplorer ActorBindings'

step_docs() {
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
}
