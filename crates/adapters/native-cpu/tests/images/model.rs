//! Images as OpenCL describes them, in the plainest way: texels by name of their channels, colours in
//! double precision, coordinates in single precision as the formulas are meant.

use ur_api::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    D1,
    D1Array,
    D2,
    D2Array,
    D3,
}

pub const KINDS: [Kind; 5] = [Kind::D1, Kind::D1Array, Kind::D2, Kind::D2Array, Kind::D3];

#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub kind: Kind,
    /// Along each coordinate, layers included; 1 where there is none.
    pub extent: [usize; 3],
}

impl Shape {
    pub fn new(kind: Kind, [a, b, c]: [usize; 3]) -> Shape {
        let extent = match kind {
            Kind::D1 => [a, 1, 1],
            Kind::D1Array | Kind::D2 => [a, b, 1],
            Kind::D2Array | Kind::D3 => [a, b, c],
        };
        Shape { kind, extent }
    }

    pub fn dims(&self) -> usize {
        match self.kind {
            Kind::D1 | Kind::D1Array => 1,
            Kind::D2 | Kind::D2Array => 2,
            Kind::D3 => 3,
        }
    }

    pub fn layer(&self) -> Option<usize> {
        match self.kind {
            Kind::D1Array => Some(1),
            Kind::D2Array => Some(2),
            _ => None,
        }
    }

    pub fn texels(&self) -> usize {
        self.extent.iter().product()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub order: ur_image_channel_order_t,
    pub channel: ur_image_channel_type_t,
}

/// What a channel's bits mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Snorm(u32),
    Unorm(u32),
    Signed(u32),
    Unsigned(u32),
    Half,
    Float,
    Packed([u32; 3]),
}

impl Format {
    pub fn raw(self) -> ur_image_format_t {
        ur_image_format_t {
            channelOrder: self.order,
            channelType: self.channel,
        }
    }

    /// The channels in the order in which they are stored; `l` and `i` stand for several.
    pub fn letters(self) -> &'static str {
        match self.order {
            UR_IMAGE_CHANNEL_ORDER_A => "a",
            UR_IMAGE_CHANNEL_ORDER_R | UR_IMAGE_CHANNEL_ORDER_RX => "r",
            UR_IMAGE_CHANNEL_ORDER_RG | UR_IMAGE_CHANNEL_ORDER_RGX => "rg",
            UR_IMAGE_CHANNEL_ORDER_RA => "ra",
            UR_IMAGE_CHANNEL_ORDER_RGB | UR_IMAGE_CHANNEL_ORDER_RGBX => "rgb",
            UR_IMAGE_CHANNEL_ORDER_RGBA | UR_IMAGE_CHANNEL_ORDER_SRGBA => "rgba",
            UR_IMAGE_CHANNEL_ORDER_BGRA => "bgra",
            UR_IMAGE_CHANNEL_ORDER_ARGB => "argb",
            UR_IMAGE_CHANNEL_ORDER_ABGR => "abgr",
            UR_IMAGE_CHANNEL_ORDER_INTENSITY => "i",
            UR_IMAGE_CHANNEL_ORDER_LUMINANCE => "l",
            _ => panic!("no such order"),
        }
    }

    pub fn meaning(self) -> Meaning {
        match self.channel {
            UR_IMAGE_CHANNEL_TYPE_SNORM_INT8 => Meaning::Snorm(8),
            UR_IMAGE_CHANNEL_TYPE_SNORM_INT16 => Meaning::Snorm(16),
            UR_IMAGE_CHANNEL_TYPE_UNORM_INT8 => Meaning::Unorm(8),
            UR_IMAGE_CHANNEL_TYPE_UNORM_INT16 => Meaning::Unorm(16),
            UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565 => Meaning::Packed([5, 6, 5]),
            UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555 => Meaning::Packed([5, 5, 5]),
            UR_IMAGE_CHANNEL_TYPE_INT_101010 => Meaning::Packed([10, 10, 10]),
            UR_IMAGE_CHANNEL_TYPE_SIGNED_INT8 => Meaning::Signed(8),
            UR_IMAGE_CHANNEL_TYPE_SIGNED_INT16 => Meaning::Signed(16),
            UR_IMAGE_CHANNEL_TYPE_SIGNED_INT32 => Meaning::Signed(32),
            UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8 => Meaning::Unsigned(8),
            UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16 => Meaning::Unsigned(16),
            UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32 => Meaning::Unsigned(32),
            UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT => Meaning::Half,
            UR_IMAGE_CHANNEL_TYPE_FLOAT => Meaning::Float,
            _ => panic!("no such type"),
        }
    }

    pub fn is_integer(self) -> bool {
        matches!(self.meaning(), Meaning::Signed(_) | Meaning::Unsigned(_))
    }

    pub fn is_srgb(self) -> bool {
        self.order == UR_IMAGE_CHANNEL_ORDER_SRGBA
    }

    /// Bytes of a channel, or of a packed texel.
    pub fn word(self) -> usize {
        match self.meaning() {
            Meaning::Packed([10, ..]) => 4,
            Meaning::Packed(_) | Meaning::Half => 2,
            Meaning::Float => 4,
            Meaning::Snorm(bits)
            | Meaning::Unorm(bits)
            | Meaning::Signed(bits)
            | Meaning::Unsigned(bits) => bits as usize / 8,
        }
    }

    pub fn texel(self) -> usize {
        match self.meaning() {
            Meaning::Packed(_) => self.word(),
            _ => self.word() * self.letters().len(),
        }
    }

    /// The colour outside of an image.
    pub fn border(self) -> [f64; 4] {
        let opaque = matches!(
            self.order,
            UR_IMAGE_CHANNEL_ORDER_R
                | UR_IMAGE_CHANNEL_ORDER_RG
                | UR_IMAGE_CHANNEL_ORDER_RGB
                | UR_IMAGE_CHANNEL_ORDER_LUMINANCE
        );
        [0.0, 0.0, 0.0, if opaque { 1.0 } else { 0.0 }]
    }
}

/// Every format that OpenCL's rules allow with the orders and types of the API.
pub fn formats() -> Vec<Format> {
    let mut all = Vec::new();
    for order in (0..15).map(ur_image_channel_order_t) {
        for channel in (0..15).map(ur_image_channel_type_t) {
            let format = Format { order, channel };
            let meaning = format.meaning();
            let packed = matches!(meaning, Meaning::Packed(_));
            let bytes = matches!(
                meaning,
                Meaning::Snorm(8) | Meaning::Unorm(8) | Meaning::Signed(8) | Meaning::Unsigned(8)
            );
            let allowed = match format.letters() {
                "rgb" => packed,
                "i" | "l" => !packed && !format.is_integer(),
                "bgra" | "argb" | "abgr" => bytes,
                _ if format.is_srgb() => meaning == Meaning::Unorm(8),
                _ => !packed,
            };
            if allowed {
                all.push(format);
            }
        }
    }
    all
}

/// A half as a double.
pub fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    sign * match bits >> 10 & 31 {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction / 1024.0 * 2f64.powi(-14),
        e => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(e) - 15),
    }
}

/// One stored number.
pub fn number(meaning: Meaning, bytes: &[u8]) -> f64 {
    let mut word = [0u8; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(word);
    let shift = 64 - 8 * bytes.len() as u32;
    let signed = (unsigned << shift) as i64 >> shift;
    let largest = |bits: u32| (1u64 << bits) as f64 - 1.0;
    match meaning {
        Meaning::Snorm(bits) => (signed as f64 / largest(bits - 1)).max(-1.0),
        Meaning::Unorm(bits) => unsigned as f64 / largest(bits),
        Meaning::Signed(_) => signed as f64,
        Meaning::Unsigned(_) => unsigned as f64,
        Meaning::Half => half(unsigned as u16),
        Meaning::Float => f64::from(f32::from_bits(unsigned as u32)),
        Meaning::Packed(_) => panic!("no single number"),
    }
}

pub struct Image<'a> {
    pub bytes: &'a [u8],
    pub shape: Shape,
    pub format: Format,
}

impl Image<'_> {
    /// The texel, or the border's colour outside.
    pub fn texel(&self, index: [i64; 3]) -> [f64; 4] {
        let [w, h, d] = self.shape.extent.map(|extent| extent as i64);
        let [x, y, z] = index;
        if !(0..w).contains(&x) || !(0..h).contains(&y) || !(0..d).contains(&z) {
            return self.format.border();
        }
        let size = self.format.texel();
        let at = ((z * h + y) * w + x) as usize * size;
        colour(self.format, &self.bytes[at..at + size])
    }
}

/// The colour of a texel's bytes.
pub fn colour(format: Format, bytes: &[u8]) -> [f64; 4] {
    let mut colour = [0.0, 0.0, 0.0, 1.0];
    let mut set = |letter: u8, value: f64| match letter {
        b'r' => colour[0] = value,
        b'g' => colour[1] = value,
        b'b' => colour[2] = value,
        b'a' => colour[3] = value,
        b'l' => colour[..3].fill(value),
        _ => colour.fill(value),
    };
    if let Meaning::Packed(widths) = format.meaning() {
        let mut word = bytes.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b));
        for (letter, width) in [b'b', b'g', b'r'].into_iter().zip(widths.into_iter().rev()) {
            let largest = (1u32 << width) - 1;
            set(letter, f64::from(word & largest) / f64::from(largest));
            word >>= width;
        }
        return colour;
    }
    let numbers = bytes.chunks(format.word());
    for (letter, number) in format.letters().bytes().zip(numbers) {
        set(letter, self::number(format.meaning(), number));
    }
    if format.is_srgb() {
        for value in &mut colour[..3] {
            *value = if *value <= 0.04045 {
                *value / 12.92
            } else {
                ((*value + 0.055) / 1.055).powf(2.4)
            };
        }
    }
    colour
}

#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    pub addressing: ur_sampler_addressing_mode_t,
    pub normalized: bool,
    pub linear: bool,
}

impl Sampler {
    /// Whether OpenCL says what the sampler does: it repeats images by normalized coordinates only.
    pub fn is_defined(&self) -> bool {
        self.normalized
            || !matches!(
                self.addressing,
                UR_SAMPLER_ADDRESSING_MODE_REPEAT | UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT
            )
    }

    fn moved(&self, index: i64, size: i64) -> i64 {
        match self.addressing {
            UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE => index.clamp(0, size - 1),
            UR_SAMPLER_ADDRESSING_MODE_CLAMP => index.clamp(-1, size),
            _ => index,
        }
    }

    /// The texel along an axis.
    fn nearest(&self, coord: f32, size: usize) -> i64 {
        let (n, w) = (size as i64, size as f32);
        match self.addressing {
            UR_SAMPLER_ADDRESSING_MODE_REPEAT => {
                let i = ((coord - coord.floor()) * w).floor() as i64;
                if i > n - 1 { i - n } else { i }
            }
            UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT => {
                let s = (coord - 2.0 * (0.5 * coord).round_ties_even()).abs();
                ((s * w).floor() as i64).min(n - 1)
            }
            _ => {
                let u = if self.normalized { coord * w } else { coord };
                self.moved(u.floor() as i64, n)
            }
        }
    }

    /// The two texels along an axis and the share of the second.
    fn linear(&self, coord: f32, size: usize) -> ([i64; 2], f64) {
        let (n, w) = (size as i64, size as f32);
        let (u, repeat) = match self.addressing {
            UR_SAMPLER_ADDRESSING_MODE_REPEAT => ((coord - coord.floor()) * w, true),
            UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT => {
                let s = (coord - 2.0 * (0.5 * coord).round_ties_even()).abs();
                let u = s * w;
                let i = (u - 0.5).floor() as i64;
                let share = (u - 0.5) - (u - 0.5).floor();
                return ([i.max(0), (i + 1).min(n - 1)], share.into());
            }
            _ if self.normalized => (coord * w, false),
            _ => (coord, false),
        };
        let i = (u - 0.5).floor() as i64;
        let share = f64::from((u - 0.5) - (u - 0.5).floor());
        let pair = if repeat {
            [
                if i < 0 { i + n } else { i },
                if i + 1 > n - 1 { i + 1 - n } else { i + 1 },
            ]
        } else {
            [self.moved(i, n), self.moved(i.saturating_add(1), n)]
        };
        (pair, share)
    }

    /// What a read at `coords` gives, and the largest number that goes into it.
    pub fn sample(&self, image: &Image<'_>, coords: [f32; 3]) -> ([f64; 4], f64) {
        let shape = &image.shape;
        let mut pairs = [([0i64; 2], 0f64); 3];
        for axis in 0..3 {
            let size = shape.extent[axis];
            if shape.layer() == Some(axis) {
                let layer = (coords[axis].round_ties_even() as i64).clamp(0, size as i64 - 1);
                pairs[axis].0 = [layer; 2];
            } else if axis < shape.dims() {
                pairs[axis] = if self.linear {
                    self.linear(coords[axis], size)
                } else {
                    ([self.nearest(coords[axis], size); 2], 0.0)
                };
            }
        }
        let (mut sum, mut largest) = ([0.0; 4], 0f64);
        for corner in 0..8usize {
            let mut share = 1.0;
            let mut index = [0; 3];
            for axis in 0..3 {
                let second = corner >> axis & 1;
                index[axis] = pairs[axis].0[second];
                share *= if second == 1 {
                    pairs[axis].1
                } else {
                    1.0 - pairs[axis].1
                };
            }
            if share == 0.0 {
                continue;
            }
            for (sum, value) in sum.iter_mut().zip(image.texel(index)) {
                *sum += share * value;
                largest = largest.max(value.abs());
            }
        }
        (sum, largest)
    }

    /// What a read at whole coordinates gives.
    pub fn sample_at(&self, image: &Image<'_>, coords: [i32; 3]) -> [f64; 4] {
        let mut index = [0; 3];
        for axis in 0..3 {
            let (at, size) = (i64::from(coords[axis]), image.shape.extent[axis] as i64);
            if image.shape.layer() == Some(axis) {
                index[axis] = at.clamp(0, size - 1);
            } else if axis < image.shape.dims() {
                index[axis] = self.moved(at, size);
            }
        }
        image.texel(index)
    }
}
