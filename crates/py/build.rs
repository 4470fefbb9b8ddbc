//! Computes the code version, a hash of everything that can change a result, and names the profile and the
//! target.

use std::fs;
use std::path::{Path, PathBuf};

mod code_version;

fn main() {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../..");
    println!("cargo:rustc-env=MESONET_CODE_VERSION={}", code_version::code_version(&root));
    let profile = profile();
    if profile == "release" {
        refuse_slow_release(&root);
    }
    println!("cargo:rustc-env=MESONET_PROFILE={profile}");
    println!("cargo:rustc-env=MESONET_TARGET={}", std::env::var("TARGET").expect("set by cargo"));
}

/// Name of the profile. Its variable names the built-in one that a profile inherits from; the folder has its
/// own name.
fn profile() -> String {
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("set by cargo"));
    let folder = out.ancestors().find(|folder| folder.ends_with("build")).and_then(Path::parent);
    let name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| std::env::var("PROFILE").expect("set by cargo"))
}

/// Ends the build of a release that would run at a third of its speed, which no test of results would notice.
fn refuse_slow_release(root: &Path) {
    println!("cargo:rerun-if-changed={}", root.join("Cargo.toml").display());
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    let section = manifest.split("[profile.release]").nth(1).and_then(|rest| rest.split("\n[").next());
    let lines: Vec<&str> = section.unwrap_or_default().lines().map(str::trim).collect();
    for (setting, wanted) in [("lto", "fat"), ("codegen-units", "1"), ("opt-level", "3")] {
        let variable = format!("CARGO_PROFILE_RELEASE_{}", setting.replace('-', "_").to_uppercase());
        println!("cargo:rerun-if-env-changed={variable}");
        let given = std::env::var(&variable).ok();
        let written =
            lines.iter().find_map(|line| line.strip_prefix(setting)?.trim_start().strip_prefix("="));
        let is = given.as_deref().or(written).map_or_else(|| default_of(setting), str::trim);
        assert!(
            is.trim_matches('"') == wanted,
            "the release profile has {setting} = {is}; mesonet needs {wanted}: set it in Cargo.toml and unset {variable}, \
             or build with another profile"
        );
    }
}

/// The value that cargo takes in the release profile where nothing is written.
fn default_of(setting: &str) -> &'static str {
    match setting {
        "opt-level" => "3",
        "codegen-units" => "16",
        _ => "false",
    }
}
