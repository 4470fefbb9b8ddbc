//! A queue whose first few entries lie inline. Most flows have a hole or two and few segments in flight:
//! memory of its own for each of these lists would be one more cache line to wait for.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;

/// A queue with two ends. Up to `N` entries lie inline; when there are more, all of them lie in memory of
/// their own until the queue is empty.
///
/// Invariant: `len <= N`, and `Many` is not empty.
#[derive(Clone, Debug)]
#[repr(u32)]
pub enum ShortQueue<T, const N: usize> {
    /// Entries from place 0 on.
    Few {
        /// Number of entries.
        len: u32,
        /// The entries, and places of no meaning after them.
        few: [T; N],
    },
    /// More entries than fit, or the rest of them.
    Many(VecDeque<T>),
}

impl<T: Copy + Default, const N: usize> Default for ShortQueue<T, N> {
    fn default() -> Self {
        Self::Few { len: 0, few: [T::default(); N] }
    }
}

impl<T: Copy + Default, const N: usize> ShortQueue<T, N> {
    /// Number of entries.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Few { len, .. } => *len as usize,
            Self::Many(many) => many.len(),
        }
    }

    /// Returns whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Few { len: 0, .. })
    }

    /// All entries, first to last, in two parts.
    #[inline]
    fn parts(&self) -> (&[T], &[T]) {
        match self {
            Self::Few { len, few } => (&few[..(*len as usize).min(N)], &[]),
            Self::Many(many) => many.as_slices(),
        }
    }

    /// The first entry.
    #[must_use]
    #[inline]
    pub fn front(&self) -> Option<&T> {
        match self {
            Self::Few { len: 0, .. } => None,
            Self::Few { few, .. } => few.first(),
            Self::Many(many) => many.front(),
        }
    }

    /// The last entry, to be changed.
    #[inline]
    pub fn back_mut(&mut self) -> Option<&mut T> {
        let last = self.len().checked_sub(1)?;
        self.get_mut(last)
    }

    /// Entry `index` from the first one, 0.
    #[must_use]
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        match self {
            Self::Few { len, few } => few[..(*len as usize).min(N)].get(index),
            Self::Many(many) => many.get(index),
        }
    }

    /// Entry `index`, to be changed.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        match self {
            Self::Few { len, few } => few[..(*len as usize).min(N)].get_mut(index),
            Self::Many(many) => many.get_mut(index),
        }
    }

    /// Entries from `index` on, first to last.
    pub fn iter_from(&self, index: usize) -> impl DoubleEndedIterator<Item = &T> {
        let (first, second) = self.parts();
        let of_second = index.saturating_sub(first.len());
        first[index.min(first.len())..].iter().chain(&second[of_second.min(second.len())..])
    }

    /// All entries, first to last.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.iter_from(0)
    }

    /// The number of entries at the beginning for which `holds`; it holds for none after one for which it
    /// does not.
    pub fn partition_point(&self, mut holds: impl FnMut(&T) -> bool) -> usize {
        match self {
            Self::Few { len, few } => few[..(*len as usize).min(N)].partition_point(holds),
            Self::Many(many) => many.partition_point(&mut holds),
        }
    }

    /// Appends an entry.
    #[inline]
    pub fn push_back(&mut self, entry: T) {
        match self {
            Self::Few { len, few } if (*len as usize) < N => {
                few[*len as usize] = entry;
                *len += 1;
            }
            Self::Many(many) => many.push_back(entry),
            Self::Few { .. } => self.spill().push_back(entry),
        }
    }

    /// Moves the entries to memory of their own.
    #[cold]
    fn spill(&mut self) -> &mut VecDeque<T> {
        if let Self::Few { len, few } = self {
            let mut many = VecDeque::with_capacity(2 * N);
            many.extend(&few[..(*len as usize).min(N)]);
            *self = Self::Many(many);
        }
        match self {
            Self::Many(many) => many,
            Self::Few { .. } => unreachable!("moved above"),
        }
    }

    /// Inserts an entry before entry `index`, or at the end.
    pub fn insert(&mut self, index: usize, entry: T) {
        match self {
            Self::Few { len, few } if (*len as usize) < N => {
                few.copy_within(index..*len as usize, index + 1);
                few[index] = entry;
                *len += 1;
            }
            Self::Many(many) => many.insert(index, entry),
            Self::Few { .. } => self.spill().insert(index, entry),
        }
    }

    /// Removes the first entry without a look at it. Returns whether there was one.
    #[inline(always)]
    pub fn discard_front(&mut self) -> bool {
        match self {
            Self::Few { len: 0, .. } => return false,
            Self::Few { len, few } => {
                few.copy_within(1.., 0);
                *len -= 1;
            }
            Self::Many(many) => {
                many.pop_front();
                if many.is_empty() {
                    *self = Self::default();
                }
            }
        }
        true
    }

    /// Removes the first entry.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        match self {
            Self::Few { len: 0, .. } => None,
            Self::Few { len, few } => {
                let entry = few[0];
                few.copy_within(1.., 0);
                *len -= 1;
                Some(entry)
            }
            Self::Many(many) => {
                let entry = many.pop_front();
                if many.is_empty() {
                    *self = Self::default();
                }
                entry
            }
        }
    }

    /// Removes entry `index`.
    pub fn remove(&mut self, index: usize) -> Option<T> {
        match self {
            Self::Few { len, few } => {
                let entry = *few[..(*len as usize).min(N)].get(index)?;
                few.copy_within(index + 1.., index);
                *len -= 1;
                Some(entry)
            }
            Self::Many(many) => {
                let entry = many.remove(index);
                if many.is_empty() {
                    *self = Self::default();
                }
                entry
            }
        }
    }

    /// Removes all entries.
    #[inline]
    pub fn clear(&mut self) {
        match self {
            Self::Few { len, .. } => *len = 0,
            Self::Many(_) => *self = Self::default(),
        }
    }
}

impl<T: Copy + Default, const N: usize> Extend<T> for ShortQueue<T, N> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push_back(entry));
    }
}

impl<T: Copy + Default + Serialize, const N: usize> Serialize for ShortQueue<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.iter().collect::<Vec<_>>().serialize(serializer)
    }
}

impl<'de, T: Copy + Default + Deserialize<'de>, const N: usize> Deserialize<'de> for ShortQueue<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut queue = Self::default();
        queue.extend(Vec::<T>::deserialize(deserializer)?);
        Ok(queue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_like_a_queue(steps in proptest::collection::vec((0u8..8, any::<u16>()), 0..300)) {
            let (mut short, mut plain) = (ShortQueue::<u16, 3>::default(), VecDeque::new());
            for (step, x) in steps {
                let place = usize::from(x) % (plain.len() + 1);
                match step {
                    0 | 1 => {
                        short.push_back(x);
                        plain.push_back(x);
                    }
                    2 => {
                        short.insert(place, x);
                        plain.insert(place, x);
                    }
                    3 | 4 => prop_assert_eq!(short.pop_front(), plain.pop_front()),
                    5 => prop_assert_eq!(short.remove(place), plain.remove(place)),
                    7 => prop_assert_eq!(short.discard_front(), plain.pop_front().is_some()),
                    _ if x % 16 == 0 => {
                        short.clear();
                        plain.clear();
                    }
                    _ => {
                        if let Some(entry) = short.get_mut(place) {
                            *entry = x;
                            plain[place] = x;
                        }
                    }
                }
                prop_assert_eq!((short.len(), short.is_empty()), (plain.len(), plain.is_empty()));
                prop_assert_eq!((short.front(), short.get(place)), (plain.front(), plain.get(place)));
                prop_assert_eq!(short.back_mut().copied(), plain.back().copied());
                prop_assert!(short.iter().eq(plain.iter()));
                prop_assert!(short.iter_from(place).eq(plain.iter().skip(place)));
                let bytes = postcard::to_allocvec(&short).unwrap();
                let copy: ShortQueue<u16, 3> = postcard::from_bytes(&bytes).unwrap();
                prop_assert!(copy.iter().eq(plain.iter()));
            }
        }

        #[test]
        fn searches_as_in_a_sorted_list(mut entries in proptest::collection::vec(0u16..100, 0..12), limit in 0u16..100) {
            entries.sort_unstable();
            let mut queue = ShortQueue::<u16, 3>::default();
            // Memory of their own begins in the middle of the list.
            queue.extend([0; 5]);
            (0..3).for_each(|_| _ = queue.pop_front());
            queue.extend(entries.iter().copied());
            (0..2).for_each(|_| _ = queue.pop_front());
            prop_assert_eq!(queue.partition_point(|x| *x < limit), entries.partition_point(|x| *x < limit));
        }
    }
}
