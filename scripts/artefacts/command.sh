# klero-VERSION-ARCHITECTURE-linux.tar.gz: the command as one static file, for x86-64 and for 64-bit ARM.
# Its manual pages and completions are what it writes itself, from the source of its --help.
artefact_command() {
    command_of x86_64
    mkdir -p "$root/man/man1" "$root/completions"
    "$root/klero" man "$root/man/man1"
    local shell
    for shell in bash zsh fish; do
        "$root/klero" completions "$shell" >"$root/completions/klero.$shell"
    done
    command_tar
}

artefact_command-arm() {
    command_of aarch64
    # Nothing here runs it, and these are the same for both.
    command_files "$stage/from"
    mv "$stage/from/man" "$stage/from/completions" "$root"
    command_tar
}

# command_of ARCHITECTURE: sets `root`, the directory that is packed.
command_of() {
    needs 'python3 python3-venv binutils' python3 readelf
    root=$stage/klero-$version-$1-linux
    scripts/build-static "$root" "$1"
    cp crates/cli/README.md LICENSE-APACHE LICENSE-MIT "$root"
    scripts/artefacts/licences Cargo.toml klero-cli "$1-unknown-linux-musl" \
        >"$root/LICENSES-DEPENDENCIES"
}

command_tar() {
    local name
    name=$(basename "$root")
    chmod -R u=rwX,go=rX "$root"
    tar_of "$stage" "$name" | gzip -9n >"$made/$name.tar.gz"
}
