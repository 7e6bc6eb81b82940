//! Names the library for the linker, and makes it load a plain libsodium: programs that open it
//! with `dlopen` look up `sodium_init` in the same handle.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libklero_vrf_algorand.so.0");
    println!("cargo::rustc-cdylib-link-arg=-Wl,--no-as-needed,-lsodium");
}
