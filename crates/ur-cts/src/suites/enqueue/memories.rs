//! Memory by pointer: USM of each kind, and what the program has allocated by itself.

use super::bytes::{Host, alike};
use super::command::Scene;
use crate::failure::Stop;
use crate::objects::{Usm, UsmKind};
use crate::{Outcome, ok};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// USM.
    Usm(UsmKind),
    /// The program's own memory.
    Plain,
}

impl Home {
    /// Every one.
    pub(crate) const ALL: [Home; 4] = [
        Home::Usm(UsmKind::Host),
        Home::Usm(UsmKind::Device),
        Home::Usm(UsmKind::Shared),
        Home::Plain,
    ];

    /// Its name in names of tests.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Home::Usm(kind) => kind.name(),
            Home::Plain => "plain",
        }
    }
}

/// Memory at a pointer.
pub(crate) enum Area {
    /// USM.
    Usm(Usm),
    /// The program's own.
    Plain(Host),
}

impl Area {
    /// Memory with these bytes.
    ///
    /// # Errors
    /// When the device has none of the kind, or a call does not succeed.
    #[track_caller]
    pub(crate) fn of(scene: &Scene, home: Home, bytes: &[u8]) -> Result<Area, Stop> {
        match home {
            Home::Plain => Ok(Area::Plain(Host::of(bytes))),
            Home::Usm(kind) => {
                let usm = Usm::new(&scene.cx, &scene.context, kind, bytes.len())?;
                copy(scene, usm.at, bytes.as_ptr().cast(), bytes.len())?;
                Ok(Area::Usm(usm))
            }
        }
    }

    /// Where it begins.
    pub(crate) fn at(&mut self) -> *mut u8 {
        match self {
            Area::Usm(usm) => usm.at.cast(),
            Area::Plain(host) => host.at(),
        }
    }

    /// What it holds.
    ///
    /// # Errors
    /// When a copy does not succeed.
    #[track_caller]
    pub(crate) fn bytes(&self, scene: &Scene) -> Result<Vec<u8>, Stop> {
        match self {
            Area::Plain(host) => Ok(host.bytes().to_vec()),
            Area::Usm(usm) => {
                let mut bytes = vec![0; usm.size];
                copy(scene, bytes.as_mut_ptr().cast(), usm.at, usm.size)?;
                Ok(bytes)
            }
        }
    }

    /// Whether it holds these bytes and no others.
    ///
    /// # Errors
    /// When it holds others.
    #[track_caller]
    pub(crate) fn same(&self, scene: &Scene, wanted: &[u8]) -> Outcome {
        alike("memory", &self.bytes(scene)?, wanted)?;
        match self {
            Area::Plain(host) => host.guarded(),
            Area::Usm(_) => Ok(()),
        }
    }
}

/// Copies through the other queue of the scene, and waits for that.
#[track_caller]
fn copy(scene: &Scene, to: *mut c_void, from: *const c_void, size: usize) -> Outcome {
    ok!(urEnqueueUSMMemcpy(
        scene.other.get(),
        true,
        to,
        from,
        size,
        0,
        null(),
        null_mut()
    ))?;
    Ok(())
}
