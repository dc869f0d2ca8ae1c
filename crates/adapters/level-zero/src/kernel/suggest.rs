//! Work-group sizes: the one that a launch without one gets, and what is wrong with one that is given.

use super::code::{Facts, Held};
use super::range::Range;
use crate::device::Device;
use crate::ze;
use ur_adapter::{Error, Result};
use ur_api::*;

/// Work-groups and where ids begin, as Level Zero takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Their number.
    pub count: ze::ze_group_count_t,
    /// Work-items of each.
    pub size: [u32; 3],
    /// Where ids begin.
    pub offset: [u32; 3],
}

/// Whether work-groups of a device can wait for each other.
pub fn runs_cooperative(device: &Device) -> bool {
    let facts = device.facts();
    let group = facts.compute_group().map(|at| &facts.groups[at as usize]);
    let cooperative = ze::ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS;
    group.is_some_and(|group| group.flags & cooperative != 0)
}

/// The largest divisor of `number` up to `limit`.
fn largest_divisor(number: usize, limit: usize) -> usize {
    let mut sizes = (1..=limit.min(number)).rev();
    sizes.find(|size| number.is_multiple_of(*size)).unwrap_or(1)
}

impl Facts {
    /// Whether work-groups of a size can be launched and fill the global size.
    fn fits(&self, size: [u32; 3], global: [usize; 3]) -> bool {
        let mut all = 1u64;
        for dimension in 0..3 {
            let n = size[dimension];
            if n == 0 || n > self.limits[dimension] {
                return false;
            }
            if !global[dimension].is_multiple_of(n as usize) {
                return false;
            }
            all = all.saturating_mul(n.into());
        }
        all <= self.max_group.into()
    }

    /// A size for a global one that drivers do not take, or for which they have no good one.
    fn divide(&self, global: [usize; 3]) -> [u32; 3] {
        let mut left = self.max_group.min(256) as usize;
        std::array::from_fn(|dimension| {
            let limit = left.min(self.limits[dimension] as usize).max(1);
            let size = largest_divisor(global[dimension], limit);
            left = (left / size).max(1);
            size as u32
        })
    }

    /// Looks at a size that was given.
    ///
    /// # Errors
    /// `INVALID_WORK_GROUP_SIZE` for one that the kernel does not take, or that does not divide the
    /// global size: Level Zero has no smaller groups at the end.
    pub fn check(&self, local: [usize; 3], global: [usize; 3]) -> Result<[u32; 3]> {
        let refused = |why| Err(Error::new(UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE, why));
        let size = local.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        if self.required().is_some_and(|required| required != size) {
            return refused("the kernel requires another work-group size");
        }
        match self.fits(size, global) {
            true => Ok(size),
            false => refused("too large, or no divisor of the global size"),
        }
    }
}

impl Held<'_> {
    /// The work-group size for a launch that leaves the choice.
    ///
    /// # Errors
    /// `INVALID_WORK_GROUP_SIZE` if the kernel requires one that does not divide the global size.
    pub fn choose(&self, global: [usize; 3]) -> Result<[u32; 3]> {
        let facts = self.code.facts();
        if let Some(required) = facts.required() {
            return facts.check(required.map(|size| size as usize), global);
        }
        let narrow = global.map(|size| u32::try_from(size).unwrap_or(0));
        let [x, y, z] = narrow;
        let mut size = [0; 3];
        if !narrow.contains(&0) {
            let [to_x, to_y, to_z] = &mut size;
            let suggest = self.code.api().zeKernelSuggestGroupSize;
            // SAFETY: a live kernel, which is this thread's; the places are ours.
            let code = unsafe { suggest(self.code.native(), x, y, z, to_x, to_y, to_z) };
            if code != ze::ZE_RESULT_SUCCESS {
                size = [0; 3];
            }
        }
        match facts.fits(size, global) {
            true => Ok(size),
            false => Ok(facts.divide(global)),
        }
    }

    /// Work-groups for a range.
    ///
    /// # Errors
    /// `INVALID_WORK_GROUP_SIZE` as [`Facts::check`] says, `INVALID_VALUE` for more work-groups or a
    /// larger offset than the device takes.
    #[inline]
    pub fn groups(&self, range: &Range) -> Result<Groups> {
        let facts = self.code.facts();
        let size = match range.local {
            Some(local) => facts.check(local, range.global)?,
            None => self.choose(range.global)?,
        };
        let mut count = [0; 3];
        for dimension in 0..3 {
            let number = range.global[dimension] / size[dimension] as usize;
            count[dimension] = u32::try_from(number)
                .ok()
                .filter(|number| *number <= facts.max_count[dimension])
                .ok_or_else(|| Error::value("more work-groups than the device takes"))?;
        }
        let mut offset = [0; 3];
        for (to, from) in offset.iter_mut().zip(range.offset) {
            *to = u32::try_from(from).map_err(|_| Error::value("the offset is too large"))?;
        }
        let [x, y, z] = count;
        Ok(Groups {
            count: ze::ze_group_count_t {
                groupCountX: x,
                groupCountY: y,
                groupCountZ: z,
            },
            size,
            offset,
        })
    }

    /// How many work-groups of a size, each with so many bytes of local memory beside those that the
    /// kernel itself has, run at the same time.
    ///
    /// # Errors
    /// `INVALID_WORK_GROUP_SIZE`, and what the driver says.
    pub fn most_cooperative(&mut self, local: [usize; 3], bytes: usize) -> Result<u32> {
        let facts = self.code.facts();
        let size = facts.check(local, local)?;
        self.set_group(size)?;
        let mut count = 0;
        let suggest = self.code.api().zeKernelSuggestMaxCooperativeGroupCount;
        // SAFETY: a live kernel, which is this thread's; the place is ours.
        ze::check(unsafe { suggest(self.code.native(), &raw mut count) })?;
        // Level Zero does not ask for the bytes: as many groups as have room for them.
        let each = (facts.properties.localMemSize as usize).saturating_add(bytes);
        if bytes == 0 || each == 0 {
            return Ok(count);
        }
        let fitting = (facts.local_memory as usize / each).saturating_mul(facts.cores as usize);
        Ok(count.min(u32::try_from(fitting).unwrap_or(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(required: [u32; 3]) -> Facts {
        let mut properties = ze::ze_kernel_properties_t::new();
        properties.requiredGroupSizeX = required[0];
        properties.requiredGroupSizeY = required[1];
        properties.requiredGroupSizeZ = required[2];
        Facts {
            properties,
            max_group: 64,
            multiple: 8,
            limits: [64, 64, 4],
            max_count: [1000; 3],
            local_memory: 1024,
            cores: 2,
            sizes: Box::default(),
        }
    }

    #[test]
    fn sizes_that_fit_are_taken() {
        let free = facts([0; 3]);
        for (local, global, fits) in [
            ([64, 1, 1], [128, 1, 1], true),
            ([8, 8, 1], [8, 16, 3], true),
            ([64, 2, 1], [128, 2, 1], false),
            ([1, 1, 8], [1, 1, 8], false),
            ([3, 1, 1], [10, 1, 1], false),
            ([usize::MAX, 1, 1], [usize::MAX, 1, 1], false),
        ] {
            assert_eq!(
                free.check(local, global).is_ok(),
                fits,
                "{local:?} {global:?}"
            );
        }
        let fixed = facts([8, 4, 0]);
        assert_eq!(fixed.check([8, 4, 1], [16, 8, 4]), Ok([8, 4, 1]));
        assert!(fixed.check([4, 4, 1], [16, 8, 4]).is_err());
        assert!(fixed.check([8, 4, 1], [12, 8, 4]).is_err());
    }

    #[test]
    fn a_choice_of_ours_divides_and_fits() {
        let facts = facts([0; 3]);
        for global in [
            [1, 1, 1],
            [1000, 1, 1],
            [1009, 7, 5],
            [6_000_000_000, 2, 2],
            [5, 64, 100],
        ] {
            let size = facts.divide(global);
            assert!(facts.fits(size, global), "{size:?} {global:?}");
        }
        assert_eq!(facts.divide([1000, 1, 1]), [50, 1, 1]);
    }
}
