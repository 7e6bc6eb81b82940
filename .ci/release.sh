# What a release publishes, installed as its users would: made by scripts/release, unpacked or installed
# where nothing of this tree is, run, and removed.

release() {
    local version out=$PWD/target/release-artefacts scratch
    version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
    scratch=$(mktemp -d)

    step "release: refused"
    if scripts/release 99.0.0 "$out" 2>"$scratch/refused"; then exit 1; fi
    grep "99.0.0 was asked for, and Cargo.toml says $version" "$scratch/refused"
    if scripts/release --dirty "$version" "$out" cake 2>"$scratch/refused"; then exit 1; fi
    grep 'no artefact cake: expected one of command' "$scratch/refused"

    step "release: made"
    local names=(command command-arm debian image crates wheel wheel-musl wheel-arm wheel-arm-musl)
    packages binutils gcc make pkg-config libsodium-dev python3 python3-venv ||
        skipped "what scripts/release says is missing"
    if command -v npm >/dev/null; then names+=(npm); else
        skipped "the package for JavaScript; to have it: install Node 20 or newer with npm"
    fi
    scripts/release --dirty "$version" "$out" "${names[@]}"
    (cd "$out" && sha256sum --check SHA256SUMS)
    release_twice

    local emulators=yes old=(qemu-x86_64 -cpu Nehalem)
    packages qemu-user qemu-user-static proot || {
        emulators=
        skipped "what is for ARM, for musl and for a processor without AVX2;" \
            "to have it: apt-get install qemu-user qemu-user-static proot"
    }
    release_command x86_64
    if [ -n "$emulators" ]; then
        release_command aarch64 qemu-aarch64-static
        release_old_processor
    fi
    release_debian
    release_image
    release_crates
    if [[ " ${names[*]} " == *" npm "* ]]; then release_npm; fi
    release_wheels
    rm -rf "$scratch"
}

# What was made is not made again, and what is made again has the same bytes. Those of compilers are
# compared by scripts/reproduce.
release_twice() {
    step "release: twice"
    if [ -z "$(git status --porcelain)" ]; then
        scripts/release "$version" "$out" command image >"$scratch/twice"
        [ "$(grep -c 'made before' "$scratch/twice")" = 2 ]
    else
        skipped "artefacts that are not made again; to have them: commit the changes of the tree"
    fi
    scripts/release --dirty "$version" "$scratch/again" command command-arm debian image crates >"$scratch/twice" 2>&1 ||
        { cat "$scratch/twice"; exit 1; }
    local file
    [ -s "$scratch/again/SHA256SUMS" ]
    while read -r _ file; do cmp "$scratch/again/$file" "$out/$file"; done <"$scratch/again/SHA256SUMS"
    rm -r "$scratch/again"
}

# release_command ARCHITECTURE EMULATOR...
release_command() {
    local name=klero-$version-$1-linux directory=$scratch/command/klero-$version-$1-linux
    step "release: the command for $1 in an empty directory"
    mkdir -p "$scratch/command"
    tar --extract --directory "$scratch/command" --file "$out/$name.tar.gz"
    local run=("${@:2}" "$directory/klero")
    (
        cd "$directory"
        env -i PATH="$PATH" "${run[@]}" --version |
            grep "^klero $version (commit $(git -C "$OLDPWD" rev-parse --short=12 HEAD)"
        env -i PATH="$PATH" "${run[@]}" chain demo | grep '^All valid'
        bash -n completions/klero.bash
        grep -q '^\.TH' man/man1/klero-chain-verify.1
        ls
    )
    [ "$(cd "$directory" && find . | sort)" = \
        "$(cd "$scratch/command/klero-$version-x86_64-linux" && find . | sort)" ]
    release_verdicts "${run[@]}"

    # Where cargo binstall looks, by the command's manifest, is what the tar is called and has in it.
    binstall() {
        sed -n "/^\[package.metadata.binstall.overrides.$1-/,/^\$/s/^$2 = \"\(.*\)\"/\1/p" \
            crates/cli/Cargo.toml | sed -e "s/{ version }/$version/g" -e 's/{ bin }{ binary-ext }/klero/'
    }
    [[ $(binstall "$1" pkg-url) == */"v$version/$name.tar.gz" ]]
    [ -x "$scratch/command/$(binstall "$1" bin-dir)" ]
}

# Every test vector gets its verdict from a command: release_verdicts COMMAND...
release_verdicts() {
    python3 - vectors/ecvrf.json "$scratch/claims.csv" "$scratch/expected" <<'CLAIMS'
import json, sys

path, claims, expected = sys.argv[1:]
with open(path) as file, open(claims, "w") as claims, open(expected, "w") as expected:
    print("suite,key,alpha,proof,output", file=claims)
    for group in json.load(file)["testGroups"]:
        for test in group["tests"]:
            if test["result"] != "acceptable":
                row = group["suite"], test["pk"], test["alpha"], test["pi"], test.get("beta", "")
                print(",".join(row), file=claims)
                print(test["result"], file=expected)
CLAIMS
    # Some are invalid.
    [ "$("$@" batch verify "$scratch/claims.csv" --out "$scratch/verdicts.csv" --force >/dev/null 2>&1
        echo $?)" = 1 ]
    python3 - "$scratch/verdicts.csv" <<'VERDICTS' | cmp - "$scratch/expected"
import csv, sys

for row in csv.DictReader(open(sys.argv[1])):
    print(row["verdict"].split(":")[0])
VERDICTS
    echo "$(wc -l <"$scratch/expected") test vectors: as expected"
}

release_old_processor() {
    step "release: the command on a processor without AVX2"
    local command=("${old[@]}" "$scratch/command/klero-$version-x86_64-linux/klero")
    # QEMU says which instructions it cannot emulate for that processor.
    "${command[@]}" --version 2>/dev/null | grep '^backends of this processor: portable$'
    "${command[@]}" chain demo 2>/dev/null | grep '^All valid'
    release_verdicts "${command[@]}"
}

# A Debian of its own in a directory, made once: only what compiling for C needs.
release_root=$PWD/target/release-root
release_debian_root() {
    [ ! -e "$release_root/complete" ] || return 0
    [ "$(id -u)" = 0 ] || return 1
    command -v debootstrap >/dev/null || packages debootstrap || return 1
    rm -rf "$release_root"
    debootstrap --variant=minbase --include=gcc,libc6-dev,pkg-config,libsodium-dev \
        "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$release_root" >"$scratch/debootstrap.log" &&
        touch "$release_root/complete"
}

release_debian() {
    step "release: packages for Debian"
    local package
    for package in "$out"/*.deb; do dpkg-deb --field "$package" Package Depends; done
    if packages lintian; then
        # Until the owner has given an address, the maintainer has none.
        lintian --allow-root --fail-on error \
            --suppress-tags malformed-contact,syntax-error-in-debian-changelog "$out"/*.deb
    else
        skipped "the rules of Debian's packages; to have it: apt-get install lintian"
    fi
    if ! release_debian_root; then
        skipped "installing, checking and removing the packages; to have it, as root:" \
            "apt-get install debootstrap, and reach a mirror of Debian"
        release_root=$scratch/root
        for package in "$out"/*.deb; do dpkg-deb --extract "$package" "$release_root"; done
        release_c_programs env -C "$release_root/programs" PKG_CONFIG_SYSROOT_DIR="$release_root" \
            PKG_CONFIG_PATH="$release_root/usr/lib/x86_64-linux-gnu/pkgconfig" \
            LD_LIBRARY_PATH="$release_root/usr/lib/x86_64-linux-gnu" sh -e
        return
    fi

    release_listing >"$scratch/before"
    mkdir "$release_root/packages"
    cp "$out"/*.deb "$release_root/packages"
    chroot "$release_root" sh -c 'dpkg --install /packages/*.deb'
    # The sums of all files are those in the packages.
    chroot "$release_root" dpkg --verify
    chroot "$release_root" klero --version
    chroot "$release_root" klero chain demo | grep '^All valid'
    [ -s "$release_root/usr/share/man/man1/klero-verify.1.gz" ] ||
        grep -r '^path-exclude.*man' "$release_root/etc/dpkg"
    release_c_programs chroot "$release_root" sh -ec 'cd /programs && exec sh -e'

    release_other_version

    step "release: packages removed"
    # shellcheck disable=SC2046 # names without spaces
    chroot "$release_root" dpkg --purge \
        $(for package in "$out"/*.deb; do dpkg-deb --field "$package" Package; done)
    rm -r "$release_root/packages"
    release_listing >"$scratch/after"
    diff "$scratch/before" "$scratch/after"
}

# Another version takes the place of all that is there, and no package is left with half of it.
release_other_version() {
    step "release: another version in place of the packages"
    local package other=$version+other
    mkdir "$release_root/packages/other"
    for package in libklero0 libklero-dev klero; do
        dpkg-deb --raw-extract "$out/${package}_${version}_amd64.deb" "$scratch/$package"
        sed -i -e "s/^Version: .*/Version: $other/" -e "s/(= $version)/(= $other)/" \
            "$scratch/$package/DEBIAN/control"
        [ "$package" != libklero0 ] || (
            cd "$scratch/$package/usr/lib/x86_64-linux-gnu"
            mv "libklero.so.$version" "libklero.so.$other"
            ln -sf "libklero.so.$other" libklero.so.0
            sed -i "s/libklero.so.$version/libklero.so.$other/" "$scratch/$package/DEBIAN/md5sums"
        )
        dpkg-deb --root-owner-group --build "$scratch/$package" "$release_root/packages/other" >/dev/null
    done
    local install=(chroot "$release_root" apt-get install --yes --no-remove --allow-downgrades)
    if "${install[@]}" "/packages/other/libklero0_${other}_amd64.deb"; then
        echo "the library was exchanged under its header" >&2
        exit 1
    fi
    "${install[@]}" "/packages/other/libklero0_${other}_amd64.deb" \
        "/packages/other/libklero-dev_${other}_amd64.deb" "/packages/other/klero_${other}_amd64.deb"
    chroot "$release_root" dpkg-query --show libklero0 libklero-dev klero |
        awk -v other="$other" '$2 != other { exit 1 }'
    chroot "$release_root" dpkg --verify
    # One library bears the name that programs load.
    [ "$(cd "$release_root/usr/lib/x86_64-linux-gnu" && echo libklero.so*)" = \
        "libklero.so libklero.so.0 libklero.so.$other" ]
}

# Every file, without those in which dpkg, apt and the loader keep what they did.
release_listing() {
    (cd "$release_root" && find . -path ./var/log -prune -o -path ./var/cache/ldconfig -prune -o \
        -path './var/*/apt' -prune -o -path './var/lib/dpkg/*-old' -prune -o -print | sort)
}

# Compiles and runs a program for each library; the arguments run a shell among them and the packages.
release_c_programs() {
    mkdir -p "$release_root/programs"
    cp bindings/c/examples/{verify,sortition}.c "$release_root/programs"
    "$@" >"$scratch/programs" <<'PROGRAMS'
cc verify.c -o verify $(pkg-config --cflags --libs klero)
./verify
cc verify.c -o verify-static $(pkg-config --cflags klero) \
    "$(pkg-config --variable=libdir klero)/libklero.a" -lpthread -ldl -lm
./verify-static
for fork in cardano algorand; do
    cc sortition.c -o $fork $(pkg-config --cflags --libs klero_vrf_$fork)
    ./$fork
done
# As a build that knows nothing of Klero asks for it.
libdir=$(pkg-config --variable=libdir klero_vrf_cardano)
cc sortition.c -o unchanged \
    $(PKG_CONFIG_PATH=$libdir/klero_vrf_cardano/pkgconfig pkg-config --cflags --libs libsodium)
./unchanged
PROGRAMS
    if [ -n "$emulators" ]; then
        "${old[@]}" -L "$release_root" -E LD_LIBRARY_PATH="$release_root/usr/lib/x86_64-linux-gnu" \
            "$release_root/programs/verify" 2>/dev/null | diff - <(head -n 3 "$scratch/programs")
        echo "libklero on a processor without AVX2: as expected"
    fi
    rm -r "$release_root/programs"
    diff "$scratch/programs" - <<'EXPECTED'
the proof: valid
its output begins with eb444066
for no input: challenge mismatch
the proof: valid
its output begins with eb444066
for no input: challenge mismatch
ietfdraft13: 9405b7c32aa4d48b
ietfdraft03: 010c32d674afcd2c
ietfdraft13: 9405b7c32aa4d48b
EXPECTED
}

release_image() {
    step "release: the image"
    local image=$out/klero-$version-x86_64-image.tar layout=$scratch/image root=$scratch/image-root
    if command -v skopeo >/dev/null || packages skopeo; then
        skopeo inspect --config "oci-archive:$image"
        skopeo copy --quiet "oci-archive:$image" "dir:$scratch/skopeo"
    else
        skipped "the image read by another program; to have it: apt-get install skopeo"
    fi
    mkdir "$layout" "$root"
    tar --extract --directory "$layout" --file "$image"
    # Each file has the sum that is its name, and the sizes and types by which others name it are right.
    python3 - "$layout" "$scratch/layer.tar" <<'UNPACK'
import gzip, hashlib, json, pathlib, sys

layout, layer_tar = map(pathlib.Path, sys.argv[1:])

def blob(descriptor):
    algorithm, digest = descriptor["digest"].split(":")
    data = (layout / "blobs" / algorithm / digest).read_bytes()
    assert hashlib.new(algorithm, data).hexdigest() == digest
    assert len(data) == descriptor["size"]
    return data

(manifest,) = json.loads((layout / "index.json").read_text())["manifests"]
manifest = json.loads(blob(manifest))
config = json.loads(blob(manifest["config"]))
assert len(list((layout / "blobs" / "sha256").iterdir())) == 2 + len(manifest["layers"])
(layer,), (expected,) = manifest["layers"], config["rootfs"]["diff_ids"]
data = gzip.decompress(blob(layer))
assert "sha256:" + hashlib.sha256(data).hexdigest() == expected
layer_tar.write_bytes(data)
UNPACK
    tar --extract --directory "$root" --file "$scratch/layer.tar"
    if [ "$(id -u)" = 0 ]; then
        env -i PATH="$PATH" chroot "$root" /usr/bin/klero --version
        env -i PATH="$PATH" chroot "$root" /usr/bin/klero chain demo | grep '^All valid'
    else
        skipped "the command of the image, which needs chroot; to have it: run as root"
    fi
    release_container
}

release_container() {
    if [ "$(id -u)" != 0 ] || ! packages podman runc; then
        skipped "the image in a container; to have it, as root: apt-get install podman runc"
        return
    fi
    # Limits that need no right to raise them.
    local podman=(podman --root "$scratch/podman" --runroot "$scratch/podman-run" --storage-driver vfs
        --cgroup-manager cgroupfs --runtime runc) limits=(--ulimit nofile=1024:1024 --ulimit nproc=1000:1000)
    "${podman[@]}" load --quiet --input "$image"
    "${podman[@]}" run --rm --network none "${limits[@]}" "klero:$version" chain demo | grep '^All valid'
}

release_crates() {
    step "release: crates"
    local manifest name
    for manifest in crates/{*,*/*}/Cargo.toml; do
        name=$(sed -n '/^\[package\]/,/^$/s/^name = "\(.*\)"/\1/p' "$manifest")
        tar --extract --directory "$scratch" --file "$out/$name-$version.crate"
        grep -q "^name = \"$name\"" "$scratch/$name-$version/Cargo.toml"
        [ -e "$scratch/$name-$version/README.md" ]
    done
}

release_npm() {
    step "release: the package for JavaScript"
    mkdir "$scratch/npm"
    (
        cd "$scratch/npm"
        npm install --silent "$out/klero-$version.tgz"
        cat >draw.mjs <<'DRAW'
import { SecretKey, verify } from "klero";
const suite = "rfc9381-ell2", alpha = new Uint8Array([7]);
const key = SecretKey.generate(suite);
const { proof, output } = key.prove(alpha);
if (!Buffer.from(verify({ suite, publicKey: key.publicKey, alpha, proof })).equals(output)) process.exit(1);
DRAW
        node draw.mjs
        node --eval 'require("klero").SecretKey.generate("praos")'
    )
}
