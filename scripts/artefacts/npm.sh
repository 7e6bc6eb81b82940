# klero-VERSION.tgz: the package for JavaScript, as `npm publish` uploads it.
artefact_npm() {
    needs 'nodejs npm' node npm
    rustup target add wasm32-unknown-unknown
    cd bindings/js
    # What the lock names; the package itself is built when it is packed.
    npm ci --ignore-scripts
    npm pack --pack-destination "$made"
}
