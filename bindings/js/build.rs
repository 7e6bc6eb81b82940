//! The layout of WebAssembly's memory.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        // The stack is at the start of the memory, and the wrapper wipes all of it after each
        // call with a secret: so it must know where it ends, and it should be small.
        println!("cargo::rustc-link-arg-cdylib=--export=__stack_high");
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=131072");
    }
}
