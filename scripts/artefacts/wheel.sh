# klero-VERSION-cp39-abi3-manylinux….whl: the package for Python from 3.9 on, for any Linux since 2014,
# made as its README says.
artefact_wheel() {
    needs 'python3 python3-venv' python3
    python3 -m venv "$stage/environment"
    PATH=$stage/environment/bin:$PATH
    pip install --quiet --disable-pip-version-check 'maturin>=1.16,<2' ziglang
    local remap=--remap-path-prefix cargo=${CARGO_HOME:-$HOME/.cargo} tree=$PWD
    export RUSTFLAGS="$remap=$cargo=/cargo $remap=$tree=/klero"
    cd bindings/python
    maturin build --release --zig --compatibility manylinux2014 --out "$made"
}
