//! Adapters that are part of the program.
//!
//! A program that has the loader linked in can have adapters linked in, too. They need no file and
//! are there when no variable names other ones; a library of the same name is not looked for.

use super::Adapter;
use crate::kit;
use crate::library::Library;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_api::attach::Kit;
use ur_api::ur_dditable_t;

/// An adapter that is part of the program.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Its short name, such as `native_cpu`.
    pub name: String,
    /// What its handles point to.
    pub table: &'static ur_dditable_t,
}

static LINKED: Mutex<Vec<Linked>> = Mutex::new(Vec::new());

fn linked() -> MutexGuard<'static, Vec<Linked>> {
    LINKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has the loader use an adapter that is part of the program, from the next time on that adapters
/// are looked for: by the first `urAdapterGet` after a first `urLoaderInit`. A second one of the same name takes the place of the first. `table` is the one that the
/// adapter's handles point to, complete.
pub fn add(name: &str, table: &'static ur_dditable_t) {
    let mut linked = linked();
    linked.retain(|known| known.name != name);
    linked.push(Linked {
        name: name.to_owned(),
        table,
    });
}

/// [`add`] for an adapter that is built from the kit, whose `KIT` says what else it offers: with it,
/// programs may set a kernel's arguments before a launch.
pub fn add_kit(name: &str, kit: &'static Kit) {
    let mut linked = linked();
    // Below the lock, so that no two threads remember the same.
    kit::remember(kit);
    linked.retain(|known| known.name != name);
    linked.push(Linked {
        name: name.to_owned(),
        table: kit.table,
    });
}

/// The adapters that [`add`] was told of, in that order.
pub fn all() -> Vec<Linked> {
    linked().clone()
}

impl Adapter {
    /// Takes an adapter that is part of the program.
    ///
    /// # Errors
    /// A sentence saying why it cannot be used.
    pub fn linked(linked: &Linked) -> Result<Adapter, String> {
        Ok(Adapter {
            name: linked.name.clone(),
            // It has no file of its own.
            path: PathBuf::from(&linked.name),
            library: Library::program()?,
            get: linked
                .table
                .Adapter
                .pfnGet
                .ok_or("its table has no urAdapterGet")?,
            foreign: None,
        })
    }
}
