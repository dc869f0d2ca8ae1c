//! Reading a saved program allocates no more than is promised, whatever its bytes say.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use ur_adapter_native_cpu::binary::{self, BOUND, BOUND_EXTRA, MachineCode, Saved, Stage};
use ur_jit_abi::code::{CodeImage, Fixup};
use ur_jit_abi::record::{ENTRY, KernelRecord, ModuleRecord, Variable};

thread_local! {
    /// Bytes that this thread has allocated now, and the most it ever had.
    static HELD: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn add(bytes: usize) {
    let (now, most) = HELD.get();
    HELD.set((now + bytes, most.max(now + bytes)));
}

fn sub(bytes: usize) {
    let (now, most) = HELD.get();
    HELD.set((now.saturating_sub(bytes), most));
}

// SAFETY: everything is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: forwarded.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        sub(layout.size());
        // SAFETY: forwarded.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Old and new at the same time, at worst.
        add(size);
        sub(layout.size());
        // SAFETY: forwarded.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most that is allocated while `bytes` are read, for each byte.
fn factor(bytes: &[u8]) -> f64 {
    HELD.set((0, 0));
    let read = binary::read(bytes);
    if let Ok(saved) = &read {
        let _ = saved.examine();
    }
    let (_, most) = HELD.get();
    drop(read);
    let bound = BOUND * bytes.len() + BOUND_EXTRA;
    assert!(most <= bound, "{most} bytes for {}", bytes.len());
    most as f64 / bytes.len() as f64
}

/// Programs in which one kind of part is repeated, each in its shortest form.
fn extremes(count: usize) -> Vec<Saved> {
    let saved = |module: &ModuleRecord, kernels: Vec<(String, Vec<u8>)>| Saved {
        stage: Stage::Executable,
        constants: Vec::new(),
        options: String::new(),
        words: Vec::new(),
        code: Some(MachineCode {
            cpu: [0; 32],
            cpu_name: String::new(),
            build_id: Vec::new(),
            module: module.to_bytes(),
            kernels,
        }),
    };
    let none = ModuleRecord::default();
    let kernel = |change: &dyn Fn(&mut CodeImage)| {
        let mut record = KernelRecord::default();
        record.image.exports.push((ENTRY.into(), 0));
        change(&mut record.image);
        saved(&none, vec![(String::new(), record.to_bytes())])
    };
    let mut variables = ModuleRecord::default();
    for name in ["", "v"].into_iter().cycle().take(count) {
        variables.variables.push(Variable {
            name: name.into(),
            offset: 0,
            size: 0,
        });
    }
    let mut words = saved(&none, Vec::new());
    words.words = vec![0; count];
    words.options = "x".repeat(count);
    vec![
        saved(&none, vec![(String::new(), Vec::new()); count]),
        saved(&none, vec![("k".into(), vec![0]); count]),
        saved(&variables, Vec::new()),
        kernel(&|image| image.imports = vec![String::new(); count]),
        kernel(&|image| image.imports = vec!["i".into(); count]),
        kernel(&|image| image.exports.extend(vec![(String::new(), 0); count])),
        kernel(&|image| {
            let fixup = Fixup {
                slot: 0,
                import: Fixup::SELF,
                addend: 0,
            };
            image.fixups = vec![fixup; count];
            image.data = vec![0; 8];
        }),
        kernel(&|image| image.zeros = 1 << 30),
        words,
    ]
}

#[test]
fn the_bound_holds() {
    let mut worst: f64 = 0.0;
    for count in [0, 1, 100, 10_000] {
        for saved in extremes(count) {
            let bytes = binary::write(&saved);
            let factor = factor(&bytes);
            if count == 10_000 {
                worst = worst.max(factor);
            }
            // Every number made as large as it can be, and the hash made right again.
            for at in (48..bytes.len().min(1000)).step_by(4) {
                let mut changed = bytes.clone();
                changed[at..(at + 4).min(bytes.len())].fill(0xff);
                binary::seal(&mut changed);
                self::factor(&changed);
            }
        }
    }
    // The promise is no more than twice what it takes, so that a change for the worse is seen.
    assert!(worst * 2.0 > BOUND as f64, "{worst}");
    println!("at most {worst:.2} bytes for each byte read");
}
