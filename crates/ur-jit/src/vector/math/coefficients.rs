//! Coefficients of the polynomials, lowest power first. Made by `coefficients.py`.

// The numbers are what they are, also where one comes near a known constant.
#![allow(clippy::approx_constant, clippy::excessive_precision, clippy::unreadable_literal)]

/// `(e^r - 1 - r) / r²` on [-0.3473, 0.3473]; the relative error is 2^-27.84.
pub const EXP_F32: [f64; 5] = [
    0.4999999403953552,
    0.1666651964187622,
    0.041668400168418884,
    0.00836885068565607,
    0.001381434965878725,
];

/// `(2^r - 1) / r` on [-0.501, 0.501]; the relative error is 2^-23.11.
pub const EXP2_F32: [f64; 5] = [
    0.6931470036506653,
    0.24022239446640015,
    0.0555073618888855,
    0.009671725332736969,
    0.0013264470035210252,
];

/// `(10^r - 1) / r` on [-0.1508, 0.1508]; the relative error is 2^-23.33.
pub const EXP10_F32: [f64; 5] = [
    2.302584409713745,
    2.6509037017822266,
    2.0347979068756104,
    1.1777819395065308,
    0.5365881323814392,
];

/// `(log(1 + r) - r + r²/2) / r³` on [-0.2929, 0.4142]; the relative error is 2^-24.84.
pub const LOG_F32: [f64; 7] = [
    0.3333390951156616,
    -0.2500133812427521,
    0.1996307075023651,
    -0.16577556729316711,
    0.14914670586585999,
    -0.14267663657665253,
    0.08700927346944809,
];

/// `(sin(x) / x - 1) / x²` of `x²` on [0.0, 2.487]; the relative error is 2^-25.77.
pub const SIN_F32: [f64; 4] = [
    -0.16666659712791443,
    0.008333059959113598,
    -0.00019809087098110467,
    2.604580686238478e-06,
];

/// log(2) in 15 + 24 bits.
pub const LN2_F32: [f64; 2] = [0.693145751953125, 1.428606765330187e-06];

/// log(2) in 24 bits.
pub const LN2_F32_NEAREST: f64 = 0.6931471824645996;

/// π in 24 + 24 + 24 bits.
pub const PI_F32: [f64; 3] = [3.1415927410125732, -8.742277657347586e-08, -3.4302490200117637e-15];

/// π in 11 + 11 + 11 + 24 bits.
pub const PI_F32_SHORT: [f64; 4] = [3.140625, 0.0009675025939941406, 1.5099067240953445e-07, 5.126688136514179e-12];
