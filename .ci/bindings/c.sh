# The libraries for C: installed as their README says, and tested from C, C++, Python and Haskell.
c() {
    packages clang cmake g++ gcc libclang-rt-dev libsodium-dev make pkg-config python3 valgrind ||
        skipped "what the tests of C say above; to have it: apt-get install clang cmake g++ gcc" \
            "libclang-rt-dev libsodium-dev make pkg-config python3 valgrind"
    command -v ghc >/dev/null || packages ghc ||
        skipped "C from Haskell; to have it: apt-get install ghc"

    # The workspaces have one profile, so that what they share is compiled once.
    local -x CARGO_TARGET_DIR=$PWD/target
    step "C: format, lints, docs"
    # Each of the others in its own part, with its own features.
    local ours=(--manifest-path bindings/Cargo.toml --release --locked
        --workspace --exclude 'klero-js*' --exclude klero-python)
    cargo fmt --manifest-path bindings/Cargo.toml --all --check
    cargo clippy "${ours[@]}" --all-targets -- -D warnings
    RUSTDOCFLAGS='-D warnings' cargo doc "${ours[@]}" --no-deps

    local PREFIX=$PWD/target/c/usr
    rm -rf target/c
    readme 'make -C bindings/c' bindings/c/README.md
    readme 'make -C bindings/c install PREFIX="$PREFIX"' bindings/c/README.md
    readme 'make -C bindings/c test' bindings/c/README.md
}
