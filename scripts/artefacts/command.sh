# klero-VERSION-x86_64-linux.tar.gz: the command as one static file. Its manual pages and completions
# are what it writes itself, from the source of its --help.
artefact_command() {
    needs 'musl-tools binutils' musl-gcc strip
    local name=klero-$version-x86_64-linux
    local root=$stage/$name shell
    scripts/build-static "$stage/built"
    mkdir -p "$root/man/man1" "$root/completions"
    mv "$stage/built/klero" "$root/klero"
    "$root/klero" man "$root/man/man1"
    for shell in bash zsh fish; do
        "$root/klero" completions "$shell" >"$root/completions/klero.$shell"
    done
    cp crates/cli/README.md LICENSE-APACHE LICENSE-MIT "$root"
    scripts/artefacts/licences Cargo.toml klero-cli x86_64-unknown-linux-musl \
        >"$root/LICENSES-DEPENDENCIES"
    chmod -R u=rwX,go=rX "$root"
    tar_of "$stage" "$name" | gzip -9n >"$made/$name.tar.gz"
}
