//! Loads, stores and rearrangements.

use super::*;

#[test]
fn vectors_with_the_alignment_of_elements() {
    for n in [2u32, 3, 4, 8, 16] {
        let ty = Type::vector(&Type::I16, n);
        let load = Instruction::new(
            ClOp::vloadn,
            &ty,
            &[Operand::Value(Type::I64), Operand::Pointer],
            &[n],
        );
        let store = Instruction::new(
            ClOp::vstoren,
            &Type::Void,
            &[
                Operand::Value(ty),
                Operand::Value(Type::I64),
                Operand::Pointer,
            ],
            &[],
        );
        let bytes = 2 * n as usize;
        let mut memory: Vec<u8> = (0..=255).cycle().take(bytes * 4).collect();
        let before = memory.clone();
        let got: [u8; 32] = load.run(&[&2u64.to_ne_bytes()], &mut memory);
        assert_eq!(got[..bytes], before[2 * bytes..3 * bytes]);
        let data = [0xaau8; 32];
        store.run::<1>(&[&data, &1u64.to_ne_bytes()], &mut memory);
        // Only the one vector changes: three elements are three elements.
        assert_eq!(memory[..bytes], before[..bytes]);
        assert_eq!(memory[bytes..2 * bytes], data[..bytes]);
        assert_eq!(memory[2 * bytes..], before[2 * bytes..]);
    }
}

#[test]
fn halves_come_in_as_floats() {
    let index = || Operand::Value(Type::I64);
    let mut memory = Vec::new();
    for i in 0..40 {
        memory.extend(crate::ir::f16_from_f64(f64::from(i) + 0.5).to_ne_bytes());
    }
    let one = Instruction::new(
        ClOp::vload_half,
        &Type::Float,
        &[index(), Operand::Pointer],
        &[],
    );
    let got = f32::from_ne_bytes(one.run::<4>(&[&5u64.to_ne_bytes()], &mut memory));
    assert_eq!(got, 5.5);
    for (op, stride) in [(ClOp::vload_halfn, 3), (ClOp::vloada_halfn, 4)] {
        let ty = Type::vector(&Type::Float, 3);
        let three = Instruction::new(op, &ty, &[index(), Operand::Pointer], &[3]);
        let got: [u8; 16] = three.run(&[&2u64.to_ne_bytes()], &mut memory);
        for (i, lane) in got.chunks(4).take(3).enumerate() {
            let got = f32::from_ne_bytes(lane.try_into().expect("4 bytes"));
            assert_eq!(got, (2 * stride + i) as f32 + 0.5, "{op:?}");
        }
    }
}

/// The half that `value` is rounded to, found by trying all.
fn nearest_half(value: f64, mode: u32) -> f64 {
    let nearest = crate::ir::f64_from_f16(crate::ir::f16_from_f64(value));
    let step = |bits: u16, up: bool| {
        let all = crate::ir::f64_from_f16;
        let v = all(bits);
        let ordered = if (v >= 0.0) == up {
            bits + 1
        } else {
            bits.wrapping_sub(1)
        };
        if v == 0.0 {
            return if up {
                2f64.powi(-24)
            } else {
                -(2f64.powi(-24))
            };
        }
        all(ordered)
    };
    let bits = crate::ir::f16_from_f64(value);
    match mode {
        1 if nearest.abs() > value.abs() => step(bits, value < 0.0),
        2 if nearest < value => step(bits, true),
        3 if nearest > value => step(bits, false),
        _ => nearest,
    }
}

#[test]
fn halves_go_out_in_every_rounding_mode() {
    fn check<F: Float>() {
        let mut random = Random(43);
        for mode in 0..4u32 {
            let operands = [
                Operand::Value(F::TYPE),
                Operand::Value(Type::I64),
                Operand::Pointer,
            ];
            let store = Instruction::new(ClOp::vstore_half_r, &Type::Void, &operands, &[mode]);
            for i in 0..30_000 {
                let x = match i % 4 {
                    0 => F::from_low_bits(random.next()),
                    1 => F::narrow((random.unit() - 0.5) * 2e5),
                    2 => F::narrow((random.unit() - 0.5) * 1e-6),
                    _ => F::narrow((random.unit() - 0.5) * 16.0),
                };
                let mut memory = [0u8; 4];
                store.run::<1>(&[&x.bytes(), &1u64.to_ne_bytes()], &mut memory);
                let got = Half(u16::from_ne_bytes([memory[2], memory[3]]));
                let want = nearest_half(x.wide(), mode);
                assert_eq!(memory[..2], [0, 0]);
                assert!(
                    got.wide() == want || (got.wide().is_nan() && want.is_nan()),
                    "{x:?} in mode {mode} is {want:e}, not {:e}",
                    got.wide()
                );
            }
        }
    }
    check::<f32>();
    check::<f64>();
    let operands = [
        Operand::Value(Type::vector(&Type::Float, 3)),
        Operand::Value(Type::I64),
        Operand::Pointer,
    ];
    // Aligned vectors of three take the place of four.
    let store = Instruction::new(ClOp::vstorea_halfn_r, &Type::Void, &operands, &[1]);
    let data: Vec<u8> = [1f32, 2.0, 3.0, 0.0]
        .iter()
        .flat_map(|x| x.to_ne_bytes())
        .collect();
    let mut memory = [0u8; 16];
    store.run::<1>(&[&data, &1u64.to_ne_bytes()], &mut memory);
    let halves: Vec<u16> = memory
        .chunks(2)
        .map(|c| u16::from_ne_bytes([c[0], c[1]]))
        .collect();
    assert_eq!(halves, [0, 0, 0, 0, 0x3c00, 0x4000, 0x4200, 0]);
}

#[test]
fn lanes_in_any_order() {
    let (four, eight) = (Type::vector(&Type::I32, 4), Type::vector(&Type::I32, 8));
    let x: Vec<u8> = (0..4u32).flat_map(|v| (10 + v).to_ne_bytes()).collect();
    let y: Vec<u8> = (0..4u32).flat_map(|v| (20 + v).to_ne_bytes()).collect();
    let mask: Vec<u8> = [3u32, 2, 1, 0, 7, 0, 0xffff_fff9, 4]
        .iter()
        .flat_map(|v| v.to_ne_bytes())
        .collect();
    let lanes = |bytes: [u8; 32]| -> Vec<u32> {
        bytes
            .chunks(4)
            .map(|c| u32::from_ne_bytes(c.try_into().expect("4 bytes")))
            .collect()
    };
    let shuffle = Instruction::of(ClOp::shuffle, &eight, &[four.clone(), eight.clone()]);
    let got = lanes(shuffle.run(&[&x, &mask], &mut []));
    assert_eq!(got, [13, 12, 11, 10, 13, 10, 11, 10]);
    let shuffle2 = Instruction::of(
        ClOp::shuffle2,
        &eight,
        &[four.clone(), four.clone(), eight.clone()],
    );
    let got = lanes(shuffle2.run(&[&x, &y, &mask], &mut []));
    assert_eq!(got, [13, 12, 11, 10, 23, 10, 11, 20]);
    // A vector's condition is the sign, a scalar's any bit.
    let select = Instruction::of(
        ClOp::select,
        &four,
        &[four.clone(), four.clone(), four.clone()],
    );
    let mask: Vec<u8> = [1i32, -1, i32::MIN, i32::MAX]
        .iter()
        .flat_map(|v| v.to_ne_bytes())
        .collect();
    let got: [u8; 16] = select.run(&[&x, &y, &mask], &mut []);
    assert_eq!(got[..4], x[..4]);
    assert_eq!(got[4..12], y[4..12]);
    assert_eq!(got[12..], x[12..]);
}

#[test]
fn printf_formats_values_from_memory() {
    // The text itself is tested in the runtime; here that the call is made and reports success.
    let ty = Type::vector(&Type::Float, 2);
    let operands = [
        Operand::Pointer,
        Operand::Value(ty),
        Operand::Value(Type::I8),
    ];
    let printf = Instruction::new(ClOp::printf, &Type::I32, &operands, &[]);
    let floats: Vec<u8> = [1f32, 2.0].iter().flat_map(|x| x.to_ne_bytes()).collect();
    let run = |format: &[u8]| {
        let mut format = format.to_vec();
        i32::from_ne_bytes(printf.run::<4>(&[&floats, &[3]], &mut format))
    };
    assert_eq!(run(b"\0"), 0);
    // More conversions than arguments.
    assert_eq!(run(b"%d%d%d%d\0"), -1);
}
