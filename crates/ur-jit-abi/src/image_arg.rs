//! What image and sampler arguments are.
//!
//! An image argument is the address of an [`ImageDescriptor`], which must live as long as the launch.
//! A sampler argument is a [`SamplerBits`] number by value.

/// Which channels the texels of an image have, in which order; numbered as in SPIR-V.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelOrder {
    /// Red.
    R = 0,
    /// Alpha.
    A = 1,
    /// Red, green.
    Rg = 2,
    /// Red, alpha.
    Ra = 3,
    /// Red, green, blue.
    Rgb = 4,
    /// Red, green, blue, alpha.
    Rgba = 5,
    /// Blue, green, red, alpha.
    Bgra = 6,
    /// Alpha, red, green, blue.
    Argb = 7,
    /// One value for all four.
    Intensity = 8,
    /// One value for red, green and blue.
    Luminance = 9,
    /// Red; nothing, not even alpha, outside of the image.
    Rx = 10,
    /// Red, green; nothing outside of the image.
    Rgx = 11,
    /// Red, green, blue; nothing outside of the image.
    Rgbx = 12,
    /// Red, green, blue on the curve of sRGB, and linear alpha.
    Srgba = 17,
    /// Alpha, blue, green, red.
    Abgr = 19,
}

impl ChannelOrder {
    /// Number of channels that are stored.
    pub fn channels(self) -> usize {
        match self {
            Self::R | Self::Rx | Self::A | Self::Intensity | Self::Luminance => 1,
            Self::Rg | Self::Rgx | Self::Ra => 2,
            Self::Rgb | Self::Rgbx => 3,
            Self::Rgba | Self::Bgra | Self::Argb | Self::Abgr | Self::Srgba => 4,
        }
    }

    /// Whether the border of such images is opaque black instead of transparent.
    pub fn has_opaque_border(self) -> bool {
        matches!(self, Self::R | Self::Rg | Self::Rgb | Self::Luminance)
    }
}

/// What number a channel is; numbered as in SPIR-V.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelType {
    /// 8-bit integer for -1 to 1.
    SnormInt8 = 0,
    /// 16-bit integer for -1 to 1.
    SnormInt16 = 1,
    /// 8-bit integer for 0 to 1.
    UnormInt8 = 2,
    /// 16-bit integer for 0 to 1.
    UnormInt16 = 3,
    /// 5, 6 and 5 bits of a 16-bit word, red in the highest.
    UnormShort565 = 4,
    /// 5, 5 and 5 bits of a 16-bit word, red in the highest but one.
    UnormShort555 = 5,
    /// 10, 10 and 10 bits of a 32-bit word, red in the highest but two.
    UnormInt101010 = 6,
    /// Signed 8-bit integer.
    SignedInt8 = 7,
    /// Signed 16-bit integer.
    SignedInt16 = 8,
    /// Signed 32-bit integer.
    SignedInt32 = 9,
    /// Unsigned 8-bit integer.
    UnsignedInt8 = 10,
    /// Unsigned 16-bit integer.
    UnsignedInt16 = 11,
    /// Unsigned 32-bit integer.
    UnsignedInt32 = 12,
    /// 16-bit float.
    HalfFloat = 13,
    /// 32-bit float.
    Float = 14,
}

impl ChannelType {
    /// Whether all channels share one word.
    pub fn is_packed(self) -> bool {
        matches!(
            self,
            Self::UnormShort565 | Self::UnormShort555 | Self::UnormInt101010
        )
    }

    /// Whether texels are read as integers.
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Self::SignedInt8
                | Self::SignedInt16
                | Self::SignedInt32
                | Self::UnsignedInt8
                | Self::UnsignedInt16
                | Self::UnsignedInt32
        )
    }

    /// Bytes of a channel, or of the word that all channels share.
    pub fn bytes(self) -> usize {
        match self {
            Self::SnormInt8 | Self::UnormInt8 | Self::SignedInt8 | Self::UnsignedInt8 => 1,
            Self::SnormInt16
            | Self::UnormInt16
            | Self::UnormShort565
            | Self::UnormShort555
            | Self::SignedInt16
            | Self::UnsignedInt16
            | Self::HalfFloat => 2,
            Self::UnormInt101010 | Self::SignedInt32 | Self::UnsignedInt32 | Self::Float => 4,
        }
    }
}

/// What the texels of an image are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    /// The channels.
    pub order: ChannelOrder,
    /// What each of them is.
    pub channel: ChannelType,
}

impl ImageFormat {
    /// Whether kernels can read and write such images. The rules are OpenCL's: packed words hold red,
    /// green and blue, rare orders come with 8-bit channels, intensity and luminance are not integers.
    pub fn is_supported(self) -> bool {
        use ChannelOrder as O;
        use ChannelType as T;
        match self.order {
            O::Rgb | O::Rgbx => self.channel.is_packed(),
            O::Intensity | O::Luminance => !self.channel.is_packed() && !self.channel.is_integer(),
            O::Bgra | O::Argb | O::Abgr => matches!(
                self.channel,
                T::UnormInt8 | T::SnormInt8 | T::SignedInt8 | T::UnsignedInt8
            ),
            O::Srgba => self.channel == T::UnormInt8,
            O::R | O::Rx | O::A | O::Rg | O::Rgx | O::Ra | O::Rgba => !self.channel.is_packed(),
        }
    }

    /// Bytes of a texel.
    pub fn texel_bytes(self) -> usize {
        if self.channel.is_packed() {
            self.channel.bytes()
        } else {
            self.channel.bytes() * self.order.channels()
        }
    }
}

/// An image: where its texels are and what they are.
///
/// Texel (x, y, z) stands at `data + x * pitch[0] + y * pitch[1] + z * pitch[2]`; every coordinate
/// is below its `extent`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageDescriptor {
    /// Address of the first texel.
    pub data: usize,
    /// Bytes from a texel to its neighbour along each coordinate.
    pub pitch: [u64; 3],
    /// Texels along each coordinate: width, height and depth, the number of layers of an array in
    /// the place behind its last dimension, 1 in the others. At most `i32::MAX`.
    pub extent: [u32; 3],
    /// Number of dimensions, 1 to 3; the layers of an array are none.
    pub dims: u32,
    /// Number of the coordinate that chooses the layer of an array, or 3.
    pub layer: u32,
    /// What the texels are; a supported format.
    pub format: ImageFormat,
}

/// What a sampler gives outside of an image; numbered as in SPIR-V.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// The program promises not to read there.
    None = 0,
    /// The nearest texel of the edge.
    ClampToEdge = 1,
    /// The border's colour.
    Clamp = 2,
    /// The image again.
    Repeat = 3,
    /// The image again, every second time mirrored.
    MirroredRepeat = 4,
}

/// A sampler, packed: the addressing mode in the lowest three bits, then one bit for normalized
/// coordinates and one for linear filtering.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerBits(pub u64);

impl SamplerBits {
    /// Packs a sampler.
    pub fn new(addressing: Addressing, normalized: bool, linear: bool) -> Self {
        Self(addressing as u64 | u64::from(normalized) << 3 | u64::from(linear) << 4)
    }

    /// What is given outside of the image. Unknown bits count as [`Addressing::None`].
    pub fn addressing(self) -> Addressing {
        match self.0 & 7 {
            1 => Addressing::ClampToEdge,
            2 => Addressing::Clamp,
            3 => Addressing::Repeat,
            4 => Addressing::MirroredRepeat,
            _ => Addressing::None,
        }
    }

    /// Whether coordinates go from 0 to 1.
    pub fn is_normalized(self) -> bool {
        self.0 & 8 != 0
    }

    /// Whether neighbouring texels are blended.
    pub fn is_linear(self) -> bool {
        self.0 & 16 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_keep_what_they_are_made_of() {
        for addressing in [
            Addressing::None,
            Addressing::ClampToEdge,
            Addressing::Clamp,
            Addressing::Repeat,
            Addressing::MirroredRepeat,
        ] {
            for (normalized, linear) in [(false, false), (false, true), (true, false), (true, true)]
            {
                let bits = SamplerBits::new(addressing, normalized, linear);
                assert_eq!(bits.addressing(), addressing);
                assert_eq!(bits.is_normalized(), normalized);
                assert_eq!(bits.is_linear(), linear);
            }
        }
    }

    #[test]
    fn texels_have_the_sizes_of_opencl() {
        let size = |order, channel| ImageFormat { order, channel }.texel_bytes();
        assert_eq!(size(ChannelOrder::Rgba, ChannelType::Float), 16);
        assert_eq!(size(ChannelOrder::Rgba, ChannelType::UnormInt8), 4);
        assert_eq!(size(ChannelOrder::Rgb, ChannelType::UnormShort565), 2);
        assert_eq!(size(ChannelOrder::Rgbx, ChannelType::UnormInt101010), 4);
        assert_eq!(size(ChannelOrder::Ra, ChannelType::HalfFloat), 4);
        assert_eq!(size(ChannelOrder::Intensity, ChannelType::SnormInt16), 2);
    }
}
