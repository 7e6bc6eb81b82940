# Go: the module `klero` by cgo, Algorand's names, and the runner of the vectors. The name is not `go`,
# which the function would hide.
golang() {
    command -v go >/dev/null || packages golang-go || {
        skipped "Go; to have it: apt-get install golang-go"
        return
    }
    packages gcc libsodium-dev make pkg-config python3 || true

    # The workspaces have one profile, so that what they share is compiled once.
    local -x CARGO_TARGET_DIR=$PWD/target GOTOOLCHAIN=local GOCACHE=$PWD/target/go/cache
    local -x KLERO=$PWD PREFIX=$PWD/target/go/usr PKG_CONFIG_PATH LD_LIBRARY_PATH
    rm -rf target/go/usr target/go/program
    readme 'make -C bindings/c install-klero PREFIX="$PREFIX"' bindings/go/README.md
    readme 'export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig" LD_LIBRARY_PATH="$PREFIX/lib"' bindings/go/README.md

    step "Go: a program with the module"
    mkdir -p target/go/program
    pushd target/go/program >/dev/null
    go mod init program
    local edit='go mod edit -require klero.example/klero@v0.0.0 '
    edit+='-replace klero.example/klero="$KLERO/bindings/go"'
    readme "$edit" "$KLERO/bindings/go/README.md"
    cat >main.go <<'EOF'
package main

import "klero.example/klero"

func main() { println(klero.Version()) }
EOF
    go build -ldflags '-linkmode external -extldflags -static' .
    env -u LD_LIBRARY_PATH ./program
    popd >/dev/null

    make --silent -C bindings/c install PREFIX="$PREFIX"
    pushd bindings/go >/dev/null
    step "Go: format"
    local unformatted
    unformatted=$(gofmt -l . ../../vectors/runners)
    [ -z "$unformatted" ] || { echo "not formatted: $unformatted" >&2; exit 1; }
    readme 'go vet ./...' README.md
    # Both commands succeed where they find nothing.
    go test -list . ./... | grep '^Test' >/dev/null
    go test -list . . | grep '^Benchmark' >/dev/null
    readme 'go test -race -count 1 ./...' README.md
    readme "go test -run '^\$' -bench ." README.md
    popd >/dev/null

    step "Go: the runner of the vectors"
    local runner=target/go/runner-ecvrf
    (cd vectors/runners && go vet ecvrf.go verify.go && go build -o "../../$runner" ecvrf.go verify.go)
    "$runner" vectors/ecvrf.json
    # It must find verdicts that are wrong.
    sed 's/"result":"valid"/"result":"invalid"/' vectors/ecvrf.json >target/go/wrong.json
    if "$runner" target/go/wrong.json >target/go/wrong.txt; then exit 1; fi
    tail -n 1 target/go/wrong.txt | grep -qx '1088 tests, 238 wrong'
}
