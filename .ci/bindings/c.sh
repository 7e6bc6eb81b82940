# The libraries for C: installed as their README says, and tested by C compilers, Python and Go.
c() {
    packages clang cmake g++ gcc libclang-rt-dev libsodium-dev make pkg-config python3 valgrind ||
        skipped "what the tests of C say above; to have it: apt-get install clang cmake g++ gcc" \
            "libclang-rt-dev libsodium-dev make pkg-config python3 valgrind"
    command -v go >/dev/null || packages golang-go ||
        skipped "C from Go; to have it: apt-get install golang-go"

    step "C: format, lints, docs"
    cargo fmt --manifest-path bindings/c/Cargo.toml --all --check
    cargo clippy --manifest-path bindings/c/Cargo.toml --release --locked --all-targets -- -D warnings
    RUSTDOCFLAGS='-D warnings' cargo doc --manifest-path bindings/c/Cargo.toml --release --locked \
        --no-deps

    local PREFIX=$PWD/target/c/usr
    rm -rf target/c
    readme 'make -C bindings/c' bindings/c/README.md
    readme 'make -C bindings/c install PREFIX="$PREFIX"' bindings/c/README.md
    readme 'make -C bindings/c test' bindings/c/README.md
}
