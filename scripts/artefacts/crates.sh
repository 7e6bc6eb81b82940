# The packages of the published crates, as `cargo publish` uploads them. They are not compiled here:
# the rehearsal, cargo publish --dry-run, does that.
artefact_crates() {
    local manifest crates=()
    for manifest in crates/{*,*/*}/Cargo.toml; do
        crates+=(--package "$(sed -n '/^\[package\]/,/^$/s/^name = "\(.*\)"/\1/p' "$manifest")")
    done
    local allow=()
    [[ $commit != *-dirty ]] || allow=(--allow-dirty)
    CARGO_TARGET_DIR=$stage cargo package --locked --no-verify "${allow[@]}" "${crates[@]}"
    mv "$stage"/package/*.crate "$made"
}
