//! Names the library for the linker: a program asks for this name when it starts.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libklero_vrf_cardano.so.0");
}
