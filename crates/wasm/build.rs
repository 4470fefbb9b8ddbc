//! Computes the code version, as the build script of the Python module does.

use std::path::Path;

#[path = "../py/code_version.rs"]
mod code_version;

fn main() {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../..");
    println!("cargo:rustc-env=MESONET_CODE_VERSION={}", code_version::code_version(&root));
}
