//! What happens around the work-groups of a launch: the module's initialisers, once, and the
//! processor's treatment of subnormal numbers.

use crate::error::Result;
use crate::ir::{FunctionBuilder, Linkage, Type, Value};
use crate::item::{self, group, launch};
use crate::translate::{Initialisers, Translated};

/// Name of the function that runs work-groups when another one stands around it.
const GROUPS: &str = "ur.groups";

/// Bits of the processor's control word: results and operands that are subnormal become zeros.
const FLUSH: i32 = 0x8040;

/// States of a module's variables: their initialisers are running, or have run.
const RUNNING: i32 = 1;
const DONE: i32 = 2;

/// Whether something has to happen around the work-groups.
pub fn is_needed(kernel: &Translated) -> bool {
    kernel.flush || kernel.initialisers.is_some()
}

/// Adds the function called `name` around the one that `inner` adds under the name it is given.
pub fn lower(
    kernel: &Translated,
    name: &str,
    inner: impl FnOnce(&str) -> Result<()>,
) -> Result<()> {
    inner(GROUPS)?;
    let params = [
        Type::PTR,
        Type::PTR,
        Type::I64,
        Type::I64,
        Type::PTR,
        Type::PTR,
    ];
    let mut fb = FunctionBuilder::new(&kernel.ir, name, Linkage::External, &Type::Void, &params);
    fb.attribute("nounwind");
    let args: Vec<Value> = (0..params.len()).map(|i| fb.param(i)).collect();
    if let Some(initialisers) = &kernel.initialisers {
        initialise(&mut fb, initialisers);
    }
    let old = kernel.flush.then(|| {
        let place = fb.alloca(&Type::I32, 1, 4);
        fb.call(
            "llvm.x86.sse.stmxcsr",
            &Type::Void,
            std::slice::from_ref(&place),
        );
        let old = fb.load(&Type::I32, &place, 4);
        let new = fb.binary("or", &old, &Value::i32(FLUSH));
        set(&mut fb, &place, &new);
        (place, old)
    });
    // Not inlined: nothing may move past the change of the control word.
    fb.call_attributes(GROUPS, &Type::Void, &args, "noinline");
    if let Some((place, old)) = old {
        set(&mut fb, &place, &old);
    }
    fb.ret(None);
    fb.finish();
    Ok(())
}

/// Sets the processor's control word, by way of `place`.
fn set(fb: &mut FunctionBuilder, place: &Value, word: &Value) {
    fb.store(word, place, 4);
    fb.call(
        "llvm.x86.sse.ldmxcsr",
        &Type::Void,
        std::slice::from_ref(place),
    );
}

/// Runs the initialisers unless they have run, and waits while another thread does.
fn initialise(fb: &mut FunctionBuilder, initialisers: &Initialisers) {
    let state = &initialisers.state;
    let read = |fb: &mut FunctionBuilder| {
        fb.inst(
            &Type::I32,
            format!("load atomic i32, {state} acquire, align 4"),
        )
    };
    let [first, run, wait, ready] =
        ["first", "initialise", "wait", "ready"].map(|hint| fb.block(hint));
    let now = read(fb);
    let done = fb.icmp("eq", &now, &Value::i32(DONE));
    fb.cond_br(&done, ready, first);
    fb.switch_to(first);
    let pair = Type::structure(&[Type::I32, Type::I1]);
    let text = format!("cmpxchg {state}, i32 0, i32 {RUNNING} acq_rel acquire, align 4");
    let both = fb.inst(&pair, text);
    let won = fb.extract_value(&both, &[1]);
    fb.cond_br(&won, run, wait);
    fb.switch_to(wait);
    fb.call("llvm.x86.sse2.pause", &Type::Void, &[]);
    let now = read(fb);
    let done = fb.icmp("eq", &now, &Value::i32(DONE));
    fb.cond_br(&done, ready, wait);

    fb.switch_to(run);
    // The one work-item of a launch of size one.
    let bytes = Type::array(&Type::I8, 128);
    let [item_record, group_record, launched] = [0; 3].map(|_| {
        let record = fb.alloca(&bytes, 1, 16);
        fb.store(&Value::zero(&bytes), &record, 16);
        record
    });
    let one = Value::i64(1);
    for offset in [launch::GLOBAL_SIZE, launch::LOCAL_SIZE, launch::GROUP_COUNT] {
        for dim in 0..3 {
            item::store(fb, &launched, offset + 8 * dim, &one);
        }
    }
    item::store(fb, &launched, launch::WORK_DIM, &Value::i32(1));
    item::store(fb, &group_record, group::LAUNCH, &launched);
    for dim in 0..3 {
        item::store(fb, &group_record, group::SIZE + 8 * dim, &one);
    }
    item::store(fb, &group_record, group::COUNT, &one);
    item::store(fb, &group_record, group::SUB_GROUPS, &Value::i32(1));
    item::store(fb, &item_record, item::item::SUB_GROUP_SIZE, &Value::i32(1));
    for (name, needs_item) in &initialisers.functions {
        let args: &[Value] = &[item_record.clone(), group_record.clone()];
        fb.call(name, &Type::Void, if *needs_item { args } else { &[] });
    }
    fb.line(format!("store atomic i32 {DONE}, {state} release, align 4"));
    fb.br(ready);
    fb.switch_to(ready);
}
