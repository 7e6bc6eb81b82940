# klero-VERSION-cp39-abi3-….whl: the package for Python from 3.9 on. One wheel is for any Linux since 2014
# (glibc 2.17), the other for Alpine and others with musl since 2021 (1.2), and each for x86-64 and ARM.
artefact_wheel() { wheel x86_64-unknown-linux-gnu manylinux2014; }
artefact_wheel-musl() { wheel x86_64-unknown-linux-musl musllinux_1_2; }
artefact_wheel-arm() { wheel aarch64-unknown-linux-gnu manylinux2014; }
artefact_wheel-arm-musl() { wheel aarch64-unknown-linux-musl musllinux_1_2; }

# wheel TARGET COMPATIBILITY
wheel() {
    local tools remap=--remap-path-prefix cargo=${CARGO_HOME:-$HOME/.cargo} tree=$PWD
    needs 'python3 python3-venv' python3
    tools=$(scripts/zig-tools)
    rustup target add "$1"
    export PATH=$tools:$PATH RUSTFLAGS="$remap=$cargo=/cargo $remap=$tree=/klero"
    cd bindings/python
    maturin build --release --zig --target "$1" --compatibility "$2" --out "$made"
}
