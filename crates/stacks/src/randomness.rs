//! Randomness of what has no seed of its own: congestion controls that draw from the generator of the
//! operating system when they are made.
//!
//! The crate `getrandom` calls the function below (`--cfg getrandom_backend="custom"`). It gives numbers of a
//! seed inside of [`with_seed`], and an error elsewhere: nothing can draw what would differ from run to run.

use getrandom::Error;
use mesonet_cc::draw::Draw;
use std::cell::Cell;

thread_local! {
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Calls `make` in a thread of its own, in which generators get their seeds from this one.
///
/// # Panics
///
/// As `make` does.
pub fn with_seed<T: Send>(seed: u64, make: impl FnOnce() -> T + Send) -> T {
    let seeded = || {
        SEED.set(Some(seed));
        make()
    };
    std::thread::scope(|scope| scope.spawn(seeded).join())
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[allow(unsafe_code)]
// SAFETY: `getrandom` declares a function of this name and signature.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(start: *mut u8, len: usize) -> Result<(), Error> {
    let seed = SEED.get().ok_or(Error::UNSUPPORTED)?;
    let mut draw = Draw::new(seed);
    // SAFETY: the caller's promise: memory of this length, which may not be initialised.
    let bytes = unsafe {
        std::ptr::write_bytes(start, 0, len);
        std::slice::from_raw_parts_mut(start, len)
    };
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&draw.bits().to_le_bytes()[..chunk.len()]);
    }
    SEED.set(Some(draw.bits()));
    Ok(())
}
