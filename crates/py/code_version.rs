//! The code version: a hash of everything that can change a result. For build scripts.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the hash of the sources of the simulator and its lock file, below the folder `root` of the
/// checkout. Cargo runs the build script again when one of them changes.
pub fn code_version(root: &Path) -> String {
    let mut files = vec![root.join("Cargo.lock")];
    for part in ["crates/cc", "crates/sim"] {
        let folder = root.join(part);
        collect(&folder.join("src"), &mut files);
        files.push(folder.join("Cargo.toml"));
        println!("cargo:rerun-if-changed={}", folder.join("src").display());
    }
    println!("cargo:rerun-if-changed={}", root.join("Cargo.lock").display());
    files.sort();
    // FNV-1a in two lanes: 128 bits, no dependency.
    let mut hash = [0xcbf2_9ce4_8422_2325_u64, 0x9ae1_6a3b_2f90_404f];
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
        let content = fs::read(&file).unwrap_or_default();
        for byte in name.bytes().chain(content) {
            hash[0] = (hash[0] ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            hash[1] = (hash[1].rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
    format!("{:016x}{:016x}", hash[0], hash[1])
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}
