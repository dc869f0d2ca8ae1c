//! The account of a pool of USM: which blocks are kept when they are freed, for the next allocation of
//! the same kind and size. Where memory comes from and goes to is the adapter's own business.

use super::blocks::{Block, Blocks};
use crate::{Error, Result};
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_api::*;

/// Bytes that a pool keeps unused unless told otherwise.
const KEPT: usize = 256 << 20;

/// The account of one pool; `M` is what an adapter knows memory by. It is locked in its own methods only,
/// so that a driver which takes its time holds nobody up.
#[derive(Debug)]
pub struct Account<M> {
    /// Larger allocations are not kept when they are freed.
    max_poolable: usize,
    state: Mutex<State<M>>,
}

#[derive(Debug)]
struct State<M> {
    blocks: Blocks<M>,
    threshold: usize,
    /// Most bytes that the pool may hold; 0 for no limit.
    maximum: usize,
    reserved_high: usize,
    used_high: usize,
}

/// Where an allocation's memory comes from.
#[derive(Debug)]
pub enum Taken<M> {
    /// The pool kept it.
    Kept(M),
    /// It is to be made, after these blocks are given back, and then told of by [`Account::made`].
    New(Vec<M>),
}

impl<M: Copy + PartialEq + Debug> Account<M> {
    /// The account of an empty pool that keeps no blocks larger than so many bytes.
    pub fn new(max_poolable: usize) -> Self {
        Self {
            max_poolable,
            state: Mutex::new(State {
                blocks: Blocks::default(),
                threshold: KEPT,
                maximum: 0,
                reserved_high: 0,
                used_high: 0,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block for an allocation, which is counted from now on.
    ///
    /// # Errors
    /// `OUT_OF_RESOURCES` at the pool's limit.
    pub fn take(&self, wanted: &Block) -> Result<Taken<M>> {
        let mut state = self.state();
        if let Some(memory) = state.blocks.reuse(wanted) {
            state.note_highest();
            return Ok(Taken::Kept(memory));
        }
        let too_many = state.excess(wanted.size)?;
        state.blocks.add(wanted);
        Ok(Taken::New(too_many))
    }

    /// Says whether there was memory for a new block; without, it is not counted any more.
    pub fn made(&self, block: &Block, is_there: bool) {
        let mut state = self.state();
        match is_there {
            true => state.note_highest(),
            false => state.blocks.cancel(block),
        }
    }

    /// Takes a block back that no command uses, and gives those that are not to be kept.
    #[must_use = "they are nobody's"]
    pub fn put(&self, memory: M, block: &Block) -> Vec<M> {
        let mut state = self.state();
        state.blocks.put(memory, block);
        if block.size > self.max_poolable {
            return state.blocks.take_out(memory, block);
        }
        let least = state.blocks.used().saturating_add(state.threshold);
        state.blocks.shrink(least)
    }

    /// The blocks that must go until no more than `least` bytes are held or none is unused.
    #[must_use = "they are nobody's"]
    pub fn trim(&self, least: usize) -> Vec<M> {
        self.state().blocks.shrink(least)
    }

    /// A number that the pool can tell.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION`.
    pub fn number(&self, name: ur_usm_pool_info_t) -> Result<usize> {
        let state = self.state();
        Ok(match name {
            UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP => state.threshold,
            UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP => state.maximum,
            UR_USM_POOL_INFO_RESERVED_CURRENT_EXP => state.blocks.reserved(),
            UR_USM_POOL_INFO_RESERVED_HIGH_EXP => state.reserved_high,
            UR_USM_POOL_INFO_USED_CURRENT_EXP => state.blocks.used(),
            UR_USM_POOL_INFO_USED_HIGH_EXP => state.used_high,
            _ => return Err(Error::unsupported_query()),
        })
    }

    /// Changes a number: the threshold, the limit, or a highest value to the present one. Gives the
    /// blocks that are not to be kept any more.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENUMERATION` for what cannot be changed, `INVALID_VALUE` for a highest value other
    /// than 0.
    pub fn set_number(&self, name: ur_usm_pool_info_t, value: usize) -> Result<Vec<M>> {
        let mut state = self.state();
        match name {
            UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP => {
                state.threshold = value;
                let least = state.blocks.used().saturating_add(value);
                return Ok(state.blocks.shrink(least));
            }
            UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP => state.maximum = value,
            UR_USM_POOL_INFO_RESERVED_HIGH_EXP if value == 0 => {
                state.reserved_high = state.blocks.reserved();
            }
            UR_USM_POOL_INFO_USED_HIGH_EXP if value == 0 => state.used_high = state.blocks.used(),
            UR_USM_POOL_INFO_RESERVED_HIGH_EXP | UR_USM_POOL_INFO_USED_HIGH_EXP => {
                return Err(Error::value("a highest value can only be set to 0"));
            }
            _ => return Err(Error::unsupported_query()),
        }
        Ok(Vec::new())
    }
}

impl<M: Copy + PartialEq + Debug> State<M> {
    fn note_highest(&mut self) {
        self.used_high = self.used_high.max(self.blocks.used());
        self.reserved_high = self.reserved_high.max(self.blocks.reserved());
    }

    /// What must go so that `more` bytes are within the limit.
    fn excess(&mut self, more: usize) -> Result<Vec<M>> {
        let out = || {
            Error::new(
                UR_RESULT_ERROR_OUT_OF_RESOURCES,
                format!("no room in the pool for {more} bytes"),
            )
        };
        match self.maximum {
            0 => Ok(Vec::new()),
            maximum => {
                let least = maximum.checked_sub(more).ok_or_else(out)?;
                match self.blocks.used() <= least {
                    true => Ok(self.blocks.shrink(least)),
                    false => Err(out()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(size: usize) -> Block {
        Block::new(UR_USM_TYPE_DEVICE, 1, size, 0).expect("a size")
    }

    /// Takes a block for which the memory is `at` if the pool has none.
    fn take(account: &Account<usize>, size: usize, at: usize) -> usize {
        match account.take(&block(size)).expect("a block") {
            Taken::Kept(memory) => memory,
            Taken::New(_) => {
                account.made(&block(size), true);
                at
            }
        }
    }

    #[test]
    fn a_limit_holds_for_all_that_is_held() {
        let account = Account::new(usize::MAX);
        let limit = UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP;
        assert!(account.set_number(limit, 2048).is_ok());
        let first = take(&account, 1024, 0x1000);
        let second = take(&account, 512, 0x2000);
        assert!(account.take(&block(1024)).is_err());
        // What is kept goes before anything is refused.
        assert!(account.put(second, &block(512)).is_empty());
        assert!(matches!(account.take(&block(1024)), Ok(Taken::New(gone)) if gone == [0x2000]));
        account.made(&block(1024), false);
        assert!(account.put(first, &block(1024)).is_empty());
        let used = account.number(UR_USM_POOL_INFO_USED_CURRENT_EXP);
        assert_eq!(used, Ok(0));
        let high = account.number(UR_USM_POOL_INFO_USED_HIGH_EXP);
        assert_eq!(high, Ok(1536));
    }

    #[test]
    fn what_is_over_the_threshold_or_too_large_is_not_kept() {
        let account = Account::new(1024);
        let first = take(&account, 2048, 0x1000);
        assert_eq!(account.put(first, &block(2048)), [0x1000]);
        let second = take(&account, 512, 0x2000);
        assert!(account.put(second, &block(512)).is_empty());
        let threshold = UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP;
        assert_eq!(account.set_number(threshold, 0), Ok(vec![0x2000]));
        let third = take(&account, 512, 0x3000);
        assert_eq!(account.put(third, &block(512)), [0x3000]);
        assert!(account.trim(0).is_empty());
    }
}
