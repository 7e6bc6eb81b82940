# The Python package, in a clean environment, as its README says.
python() {
    local readme=bindings/python/README.md environment=$PWD/target/python-environment
    step "Python: format and lints"
    # The workspaces have one profile, so that what they share is compiled once.
    local -x CARGO_TARGET_DIR=$PWD/target
    cargo fmt --manifest-path bindings/python/Cargo.toml --check

    step "Python: a clean environment"
    python_environment "$environment"
    (
        export PATH="$environment/bin:$PATH" PIP_DISABLE_PIP_VERSION_CHECK=1
        cd bindings/python
        readme 'pip install .' README.md
        readme "pip install '.[test]'" README.md
        # The chain that the tests make is built here, where a failure is seen. No package is named:
        # klero-lanes would be compiled again, with the features of that package alone.
        step "the chain of the tests"
        cargo build --quiet --release --manifest-path ../../Cargo.toml --example sample
        readme 'pytest' README.md

        step "Python: what is shipped"
        pip install --quiet maturin
        dist=$CARGO_TARGET_DIR/python-dist
        rm -rf "$dist"
        pip wheel --quiet --no-deps --wheel-dir "$dist" .
        maturin sdist --out "$dist"
        python3 -m zipfile -e "$dist"/klero-*.whl "$dist/wheel"
        tar -xzf "$dist"/klero-*.tar.gz -C "$dist"
        for licence in LICENSE-APACHE LICENSE-MIT; do
            cmp "../../$licence" "$dist"/wheel/klero-*.dist-info/licenses/"$licence"
            cmp "../../$licence" "$dist"/klero-*/"$licence"
        done
        # The source distribution has what its workspaces and its lock file name.
        cargo metadata --format-version 1 --locked \
            --manifest-path "$dist"/klero-*/bindings/python/Cargo.toml >/dev/null
        # What the tests need can be had for the oldest Pythons that the package promises. pip would
        # judge the conditions on versions by the Python that runs it.
        for version in 3.9 3.10; do
            python3 - "$version" "$dist"/wheel/klero-*.dist-info/METADATA >"$dist/needs" <<'NEEDS'
import sys
from email import message_from_file
from packaging.requirements import Requirement

version, metadata = sys.argv[1:]
python = {"python_version": version, "python_full_version": f"{version}.0", "extra": "test"}
for line in message_from_file(open(metadata)).get_all("Requires-Dist"):
    need = Requirement(line)
    if need.marker is None or need.marker.evaluate(python):
        need.marker = None
        print(need)
NEEDS
            pip install --quiet --dry-run --ignore-installed --target "$dist/none" \
                --python-version "$version" --only-binary=:all: --requirement "$dist/needs"
        done

        step "Python: types"
        mypy python/klero tests bench
        # Outside the sources, so that the installed package is what it checks.
        (cd tests && python3 -m mypy.stubtest klero._klero --mypy-config-file ../pyproject.toml)
        python3 bench/throughput.py --rows 2000 --rounds 1
        PYO3_BUILD_EXTENSION_MODULE=1 cargo clippy --release -- -D warnings
    )
}
