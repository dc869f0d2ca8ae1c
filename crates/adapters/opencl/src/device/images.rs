//! How large a device's images may be.

use super::Device;
use crate::cl;

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

#[cfg(test)]
mod tests {
    use super::*;

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
