# Packages for Debian and Ubuntu on amd64:
#
#   klero                  the static command, its manual pages and completions
#   libklero0              libklero.so.0, which programs load
#   libklero-dev           what compiling against it needs: header, pkg-config, CMake, static library
#   libklero-vrf-cardano   all of a library that stands beside a plain libsodium and has the VRF of a
#   libklero-vrf-algorand  fork. No file is in both, and one program is compiled against either, so they
#                          do not conflict; but they must not be loaded into one process
#
# To be made on the oldest release that the packages are for: the libraries need the version of the C
# library whose functions they call, and name that of libsodium which was there.
artefact_debian() {
    needs 'make gcc binutils pkg-config libsodium-dev dpkg' make cc objdump strip pkg-config dpkg-deb
    debian_command
    make -C bindings/c
    debian_libklero
    debian_fork cardano "IntersectMBO's libsodium, as cardano-node uses it"
    debian_fork algorand "Algorand's libsodium, and of Cardano's before 2023"
}

debian_libdir=/usr/lib/x86_64-linux-gnu

debian_command() {
    local root=$stage/klero from=$stage/from
    command_files "$from"
    install -D "$from/klero" "$root/usr/bin/klero"
    install -D -m 644 -t "$root/usr/share/man/man1" "$from"/man/man1/*
    gzip -9n "$root"/usr/share/man/man1/*
    local share=$root/usr/share
    install -D -m 644 "$from/completions/klero.bash" "$share/bash-completion/completions/klero"
    install -D -m 644 "$from/completions/klero.zsh" "$share/zsh/vendor-completions/_klero"
    install -D -m 644 "$from/completions/klero.fish" "$share/fish/vendor_completions.d/klero.fish"
    install -D -m 644 -t "$share/doc/klero" "$from/README.md" "$from/LICENSES-DEPENDENCIES"
    # The same file as in the tar: it needs no library, and runs on every Linux.
    install -d "$share/lintian/overrides"
    echo 'klero: statically-linked-binary [usr/bin/klero]' >"$share/lintian/overrides/klero"
    debian_package klero utils <<'CONTROL'
Multi-Arch: foreign
Description: verifiable random functions, one proof or a whole chain
 The command klero makes and verifies proofs of ECVRF on edwards25519 in every
 form in use, audits the database of a Cardano node from its genesis, and hands
 out tokens that their holders can narrow offline.
CONTROL
}

debian_libklero() {
    local all=$stage/all root=$stage/libklero0
    debian_install klero "$all"
    mkdir -p "$root$debian_libdir"
    mv "$all$debian_libdir"/libklero.so.* "$root$debian_libdir"
    debian_licences klero-c "$root/usr/share/doc/libklero0"
    debian_library klero "$root"
    debian_package libklero0 libs <<CONTROL
Multi-Arch: same
Depends: $(debian_needs "$root$debian_libdir/libklero.so.0")
Description: ECVRF on edwards25519 for C: the library
 Proves, evaluates and verifies verifiable random functions in every form in
 use, one or many together, in the vector lanes of any x86-64 processor.
 Checks tokens.
CONTROL

    mv "$all" "$stage/libklero-dev"
    debian_licences klero-c "$stage/libklero-dev/usr/share/doc/libklero-dev"
    debian_package libklero-dev libdevel <<CONTROL
Multi-Arch: same
Depends: libklero0 (= $version), libc6-dev
Description: ECVRF on edwards25519 for C: header and static library
 What compiling against libklero needs: klero.h, the static library, and how
 pkg-config and CMake find them.
CONTROL
}

# debian_fork NAME WHOSE
debian_fork() {
    local package=libklero-vrf-$1 library=klero_vrf_$1
    local root=$stage/$package
    debian_install "$library" "$root"
    debian_licences "klero-vrf-$1" "$root/usr/share/doc/$package"
    debian_library "$library" "$root"
    # A program takes all names but those of the VRF from the plain libsodium, also where the library
    # itself does not load it.
    debian_package "$package" libs <<CONTROL
Multi-Arch: same
Depends: $(debian_needs "$root$debian_libdir/lib$library.so.0"), libsodium23
Recommends: libsodium-dev
Description: VRF of a fork of libsodium, beside the plain one ($1)
 For programs that are linked to a plain libsodium and call the VRF of
 $2,
 by the same names. Compiling such a program needs libsodium-dev.
CONTROL
}

# What `make install` installs of one library: debian_install LIBRARY ROOT
debian_install() {
    make --silent -C bindings/c "install-$1" DESTDIR="$2" PREFIX=/usr LIBDIR="$debian_libdir"
    strip --strip-unneeded "$2$debian_libdir/lib$1.so."*.*
    chmod 644 "$2$debian_libdir/lib$1.so."*.*
}

debian_licences() {
    mkdir -p "$2"
    scripts/artefacts/licences bindings/Cargo.toml "$1" x86_64-unknown-linux-gnu \
        >"$2/LICENSES-DEPENDENCIES"
}

# Tells dpkg how programs name the package in their dependencies, and to renew the loader's cache.
debian_library() {
    local package
    package=$(basename "$2")
    mkdir -p "$2/DEBIAN"
    echo "lib$1 0 $package (>= $version)" >"$2/DEBIAN/shlibs"
    echo "activate-noawait ldconfig" >"$2/DEBIAN/triggers"
}

# The packages that a library loads, with the newest version of the C library that it asks for.
debian_needs() {
    local newest
    newest=$(objdump -T "$1" | grep -oP 'GLIBC_\K[0-9.]+' | sort -Vu | tail -n 1)
    printf 'libc6 (>= %s)' "$newest"
    if objdump -p "$1" | grep 'NEEDED *libgcc_s' >/dev/null; then printf ', libgcc-s1'; fi
}

# Completes $stage/PACKAGE and packs it; the other fields of its control file come from standard input:
# debian_package PACKAGE SECTION
debian_package() {
    local root=$stage/$1 maintainer
    local doc=$root/usr/share/doc/$1
    maintainer=$(sed -n 's/^authors = \["\(.*\)"\]/\1/p' Cargo.toml)
    mkdir -p "$root/DEBIAN" "$doc"
    debian_copyright >"$doc/copyright"
    gzip -9n "$doc/LICENSES-DEPENDENCIES"
    gzip -9n >"$doc/changelog.gz" <<CHANGELOG
klero ($version) stable; urgency=medium

  * Release $version: CHANGELOG.md of the source says what it is.

 -- $maintainer  $(date --date "@$SOURCE_DATE_EPOCH" -R)
CHANGELOG
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
    {
        printf 'Package: %s\nSource: klero\nVersion: %s\nArchitecture: amd64\n' "$1" "$version"
        printf 'Maintainer: %s\nSection: %s\nPriority: optional\n' "$maintainer" "$2"
        find "$root/usr" -type f -printf '%s\n' |
            awk '{ kilobytes += int(($1 + 1023) / 1024) } END { print "Installed-Size: " kilobytes }'
        cat
    } >"$root/DEBIAN/control"
    chmod -R u=rwX,go=rX "$root"
    # One thread: with more, xz writes other bytes.
    dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" \
        "$made/${1}_${version}_amd64.deb"
}

debian_copyright() {
    cat <<'COPYRIGHT'
Klero is under the Apache License, Version 2.0, or the MIT License, as you choose. On Debian the first
is in /usr/share/common-licenses/Apache-2.0. The licences of what is compiled into the package are in
LICENSES-DEPENDENCIES.gz beside this file. The second:

COPYRIGHT
    cat LICENSE-MIT
}
