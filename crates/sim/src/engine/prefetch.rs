//! Asking for memory ahead of use.

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Asks for cache lines of `item`, by their numbers from 0, and does not wait for them. Lines beyond its end
/// are left out.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(item: &T, lines: impl IntoIterator<Item = usize>) {
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (item, lines);
    #[cfg(target_arch = "x86_64")]
    for line in lines {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        if line * LINE < size_of::<T>() {
            let address = std::ptr::from_ref(item).cast::<i8>().wrapping_add(line * LINE);
            // SAFETY: a hint reads nothing, whatever the address.
            unsafe { _mm_prefetch(address, _MM_HINT_T0) };
        }
    }
}
