//! Random numbers that are the same everywhere.

/// A generator of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number less than `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True `percent` times out of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Bits of a value of that many bits, often a remarkable one.
    pub fn int(&mut self, bits: u32) -> u64 {
        let mask = u64::MAX >> (64 - bits);
        let top = 1u64 << (bits - 1);
        let value = match self.below(10) {
            0 => 0,
            1 => 1,
            2 => mask,
            3 => top,
            4 => top - 1,
            5 => 1 << self.below(bits as usize),
            6 => (1u64 << self.below(bits as usize)).wrapping_sub(1),
            7 => self.below(20) as u64,
            8 => (self.below(20) as u64).wrapping_neg(),
            _ => self.bits(),
        };
        value & mask
    }

    /// Bits of an `f32`, often a remarkable one; NaNs are quiet.
    pub fn f32(&mut self) -> u64 {
        let value = match self.below(12) {
            0 => 0.0,
            1 => -0.0,
            2 => 1.0,
            3 => f32::INFINITY,
            4 => f32::NEG_INFINITY,
            5 => f32::NAN,
            6 => f32::from_bits(self.below(1 << 23) as u32),
            7 => self.below(1000) as f32 - 500.0,
            8 => (self.below(2000) as f32 - 1000.0) * 0.25,
            9 => self.pick(&[
                2_147_483_648.0,
                -2_147_483_648.0,
                4_294_967_296.0,
                9.223_372e18,
                f32::MAX,
                f32::MIN_POSITIVE,
                127.5,
                -128.75,
                0.5,
                1.5,
                2.5,
            ]),
            _ => {
                let value = f32::from_bits(self.bits() as u32);
                if value.is_nan() { -1.0 } else { value }
            }
        };
        u64::from(value.to_bits())
    }

    /// Bits of an `f64`, often a remarkable one; NaNs are quiet.
    pub fn f64(&mut self) -> u64 {
        let value = match self.below(12) {
            0 => 0.0,
            1 => -0.0,
            2 => -1.0,
            3 => f64::INFINITY,
            4 => f64::NEG_INFINITY,
            5 => f64::NAN,
            6 => f64::from_bits(self.bits() >> 12),
            7 => self.below(1000) as f64 - 500.0,
            8 => (self.below(2000) as f64 - 1000.0) * 0.125,
            9 => self.pick(&[
                2_147_483_647.5,
                -2_147_483_648.75,
                4_294_967_295.5,
                9_223_372_036_854_775_807.0,
                18_446_744_073_709_551_615.0,
                f64::MAX,
                f64::MIN_POSITIVE,
                3.402_823_6e38,
                1e-45,
                0.5,
                2.5,
            ]),
            10 => f64::from(f32::from_bits(self.f32() as u32)),
            _ => {
                let value = f64::from_bits(self.bits());
                if value.is_nan() { -1.0 } else { value }
            }
        };
        value.to_bits()
    }
}
