//! Cells of local memory that know who touched them since the last barrier.

use super::{Result, Stop};
use crate::ast::{Atomic, Scalar};
use crate::launch;

#[derive(Clone, Copy, Default)]
struct Cell {
    bits: u64,
    defined: bool,
    writer: Option<usize>,
    reader: Option<usize>,
    readers: bool,
    family: Option<usize>,
}

/// A local array.
pub struct Cells(Vec<Cell>);

impl Cells {
    /// Cells without a value.
    pub fn new(count: usize) -> Cells {
        Cells(vec![Cell::default(); count])
    }

    /// Forgets who touched what.
    pub fn barrier(&mut self) {
        for cell in &mut self.0 {
            *cell = Cell {
                bits: cell.bits,
                defined: cell.defined,
                ..Cell::default()
            };
        }
    }

    /// `item` writes its own cell.
    pub fn write(&mut self, item: usize, bits: u64) -> Result<()> {
        let cell = &mut self.0[item];
        let others = cell.readers || cell.reader.is_some_and(|r| r != item);
        if others || cell.family.is_some() {
            return Err(Stop::Invalid("a local cell written while others use it"));
        }
        cell.bits = bits;
        cell.defined = true;
        cell.writer = Some(item);
        Ok(())
    }

    /// `item` reads a cell.
    pub fn read(&mut self, item: usize, place: usize) -> Result<u64> {
        let cell = &mut self.0[place];
        if cell.writer.is_some_and(|w| w != item) || cell.family.is_some() || !cell.defined {
            return Err(Stop::Invalid("a local cell read while others write it"));
        }
        cell.readers |= cell.reader.is_some_and(|r| r != item);
        cell.reader = Some(item);
        Ok(cell.bits)
    }

    /// An atomic operation on a cell.
    pub fn atomic(&mut self, place: usize, op: Atomic, scalar: Scalar, value: u64) -> Result<()> {
        let cell = &mut self.0[place];
        let family = op.family();
        let other = cell.family.is_some() && cell.family != family;
        let touched = cell.writer.is_some() || cell.reader.is_some() || !cell.defined;
        if other || touched || family.is_none() {
            return Err(Stop::Invalid("a local cell used in several ways"));
        }
        cell.family = family;
        cell.bits = launch::atomic(op, scalar, cell.bits, value, 0);
        Ok(())
    }
}
