//! How large a device's images and work-groups may be.

use super::Device;
use crate::cl;
use ur_adapter::{Error, Result};
use ur_api::*;

/// The largest images of a device. What the driver does not tell is 0 and no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Images {
    /// Texels of a row and rows of images with one or two dimensions.
    flat: [usize; 2],
    /// Texels of a row, rows and slices of images with three dimensions.
    deep: [usize; 3],
    /// Layers.
    layers: usize,
}

impl Images {
    /// Asks the driver.
    pub(super) fn of(device: &Device) -> Self {
        let size = |name| device.value::<usize>(name).unwrap_or(0);
        Self {
            flat: [
                size(cl::CL_DEVICE_IMAGE2D_MAX_WIDTH),
                size(cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT),
            ],
            deep: [
                size(cl::CL_DEVICE_IMAGE3D_MAX_WIDTH),
                size(cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT),
                size(cl::CL_DEVICE_IMAGE3D_MAX_DEPTH),
            ],
            layers: size(cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE),
        }
    }

    /// Whether an image may have as many texels in each of its dimensions, and as many layers, if it
    /// has any.
    pub fn allow(&self, extent: &[usize], layers: Option<usize>) -> bool {
        let most = match extent.len() {
            3 => &self.deep[..],
            _ => &self.flat,
        };
        let within = |size: usize, most: usize| most == 0 || size <= most;
        let fits = extent
            .iter()
            .zip(most)
            .all(|(size, most)| within(*size, *most));
        fits && layers.is_none_or(|layers| within(layers, self.layers))
    }
}

/// The largest work-groups of a device. What the driver does not tell is the highest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Work-items.
    items: usize,
    /// Work-items in each dimension.
    sizes: [usize; 3],
}

impl Groups {
    /// Asks the driver.
    pub(super) fn of(device: &Device) -> Self {
        let mut sizes = [usize::MAX; 3];
        let told = device.list(cl::CL_DEVICE_MAX_WORK_ITEM_SIZES);
        for (size, told) in sizes.iter_mut().zip(told.unwrap_or_default()) {
            *size = told;
        }
        let items = device.value(cl::CL_DEVICE_MAX_WORK_GROUP_SIZE);
        Self {
            items: items.unwrap_or(usize::MAX),
            sizes,
        }
    }

    /// Fails unless there can be work-groups with as many work-items in each dimension.
    ///
    /// # Errors
    /// `INVALID_WORK_ITEM_SIZE` for too many in one, `INVALID_WORK_GROUP_SIZE` for too many.
    pub fn expect(&self, local: &[usize]) -> Result {
        if local
            .iter()
            .zip(&self.sizes)
            .any(|(size, most)| size > most)
        {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE));
        }
        let items = local
            .iter()
            .try_fold(1usize, |all, size| all.checked_mul(*size));
        match items {
            Some(items) if items <= self.items => Ok(()),
            _ => Err(Error::code(UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_a_size_and_sizes() {
        let groups = Groups {
            items: 64,
            sizes: [64, 64, 16],
        };
        let code = |local: &[usize]| groups.expect(local).map_err(|error| error.code);
        let (size, items) = (
            Err(UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE),
            Err(UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE),
        );
        assert_eq!(code(&[64]), Ok(()));
        assert_eq!(code(&[4, 4, 4]), Ok(()));
        assert_eq!(code(&[65]), items);
        assert_eq!(code(&[1, 1, 17]), items);
        assert_eq!(code(&[64, 2]), size);
        let unknown = Groups {
            items: usize::MAX,
            sizes: [usize::MAX; 3],
        };
        assert!(unknown.expect(&[usize::MAX]).is_ok());
        assert!(unknown.expect(&[usize::MAX, 2]).is_err());
    }

    #[test]
    fn each_kind_of_image_has_limits_of_its_own() {
        let images = Images {
            flat: [100, 50],
            deep: [30, 20, 10],
            layers: 5,
        };
        assert!(images.allow(&[100], None) && !images.allow(&[101], None));
        assert!(images.allow(&[100, 50], Some(5)));
        assert!(!images.allow(&[100, 51], None) && !images.allow(&[100, 50], Some(6)));
        assert!(images.allow(&[30, 20, 10], None) && !images.allow(&[30, 20, 11], None));
        assert!(!images.allow(&[31, 1, 1], None) && !images.allow(&[1, 21, 1], None));
    }

    #[test]
    fn what_is_not_told_is_no_limit() {
        let images = Images::default();
        assert!(images.allow(&[usize::MAX; 3], None) && images.allow(&[1], Some(usize::MAX)));
    }
}
