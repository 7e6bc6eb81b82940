# JavaScript: the npm package `klero`, in Node, in headless Chromium and in workerd.
js() {
    command -v npm >/dev/null || packages nodejs npm || true
    local version
    version=$(node --version 2>/dev/null || echo none)
    version=${version#v}
    if [ "${version%%.*}" = none ] || [ "${version%%.*}" -lt 20 ]; then
        skipped "JavaScript; it needs Node 20 or newer, and here is $version"
        return
    fi
    packages chromium ||
        skipped "JavaScript in a browser; to have it: apt-get install chromium"
    rustup target add wasm32-unknown-unknown

    # The workspaces have one profile, so that what they share is compiled once.
    local -x CARGO_TARGET_DIR=$PWD/target
    pushd bindings/js >/dev/null
    step "JavaScript: format, lints"
    local -a programs=(--package klero-js --package klero-js-message --package klero-js-token)
    cargo fmt "${programs[@]}" --check
    cargo clippy --profile wasm --locked --target wasm32-unknown-unknown "${programs[@]}" \
        -- -D warnings

    rm -rf node_modules dist
    readme 'npm install' README.md
    # Cloudflare's runtime, which has some 150 MB, and the SDK for an example: not of the package's own
    # dependencies.
    npm install --no-save workerd@1.20261117.1 @modelcontextprotocol/sdk@1.32.2 zod@4 ||
        skipped "JavaScript in workerd, and the example mcp; to have them: npm install --no-save \
workerd @modelcontextprotocol/sdk zod"
    step "JavaScript: requests that the wrapper does not send"
    tests cargo test --release --locked "${programs[@]}"
    readme 'npm test' README.md
    popd >/dev/null
}
