# Old and new calls of Rust programs give the same bytes.
rust() (
    export CARGO_TARGET_DIR=$PWD/target
    cd bindings/rust
    step "rust: format and lints"
    cargo fmt --check
    cargo clippy --release --locked --all-targets -- -D warnings
    readme 'cargo test --release'
    readme 'cargo run --release --example akd_core'
)
