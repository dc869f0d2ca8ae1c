//! Virtual address ranges and the physical memory behind them.

use crate::failure::{Stop, check};
use crate::objects::{Arg, Context, Counted, Kernel, PhysicalMem, Program, Queue, Range};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, ok, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

const READ_WRITE: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_WRITE.0;
const READ_ONLY: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_READ_ONLY.0;
const NONE: u32 = UR_VIRTUAL_MEM_ACCESS_FLAG_NONE.0;

/// The least multiple in which memory comes, and at least as many bytes.
pub(super) fn granularity(cx: &Cx, context: &Context, least: usize) -> Result<usize, Stop> {
    cx.needs(UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT)?;
    let step = ask(
        cx,
        context,
        least,
        UR_VIRTUAL_MEM_GRANULARITY_INFO_RECOMMENDED,
    )?;
    Ok(least.next_multiple_of(step))
}

fn ask(
    cx: &Cx,
    context: &Context,
    size: usize,
    query: ur_virtual_mem_granularity_info_t,
) -> Result<usize, Stop> {
    crate::info::value("urVirtualMemGranularityGetInfo", |room, value, out| {
        ur!(urVirtualMemGranularityGetInfo(
            context.get(),
            cx.device(),
            size,
            query,
            room,
            value,
            out
        ))
    })
}

/// A reserved range, given back when this goes away, which must be before its context does.
pub(super) struct Reserved {
    context: ur_context_handle_t,
    pub(super) at: *mut c_void,
    pub(super) size: usize,
}

impl Reserved {
    pub(super) fn new(context: &Context, size: usize) -> Result<Reserved, Stop> {
        let mut at = null_mut();
        let context = context.get();
        ok!(urVirtualMemReserve(context, null(), size, &raw mut at))?;
        ensure!(!at.is_null(), "there is no range");
        Ok(Reserved { context, at, size })
    }

    fn at(&self, offset: usize) -> *mut c_void {
        self.at.wrapping_byte_add(offset)
    }

    #[track_caller]
    fn map(
        &self,
        offset: usize,
        size: usize,
        memory: &PhysicalMem,
        from: usize,
        flags: u32,
    ) -> Outcome {
        ok!(urVirtualMemMap(
            self.context,
            self.at(offset),
            size,
            memory.get(),
            from,
            flags
        ))?;
        Ok(())
    }

    #[track_caller]
    fn unmap(&self, offset: usize, size: usize) -> Outcome {
        ok!(urVirtualMemUnmap(self.context, self.at(offset), size))?;
        Ok(())
    }

    fn access(&self, offset: usize, size: usize) -> Result<u32, Stop> {
        crate::info::value("urVirtualMemGetInfo", |room, value, out| {
            ur!(urVirtualMemGetInfo(
                self.context,
                self.at(offset),
                size,
                UR_VIRTUAL_MEM_INFO_ACCESS_MODE,
                room,
                value,
                out
            ))
        })
    }

    fn set_access(&self, offset: usize, size: usize, flags: u32) -> Outcome {
        ok!(urVirtualMemSetAccess(
            self.context,
            self.at(offset),
            size,
            flags
        ))?;
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let code = ur!(urVirtualMemFree(self.context, self.at, self.size));
        if code != UR_RESULT_SUCCESS {
            crate::objects::problem(format!("urVirtualMemFree returned {code}"));
        }
    }
}

/// A range with physical memory behind all of it.
pub(super) struct Mapped {
    range: Reserved,
    pub(super) at: *mut c_void,
}

impl Mapped {
    pub(super) fn new(
        context: &Context,
        memory: &PhysicalMem,
        size: usize,
    ) -> Result<Mapped, Stop> {
        let range = Reserved::new(context, size)?;
        range.map(0, size, memory, 0, READ_WRITE)?;
        let at = range.at;
        Ok(Mapped { range, at })
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let range = &self.range;
        let code = ur!(urVirtualMemUnmap(range.context, range.at, range.size));
        if code != UR_RESULT_SUCCESS {
            crate::objects::problem(format!("urVirtualMemUnmap returned {code}"));
        }
    }
}

fn marked(size: usize, seed: u8) -> Vec<u8> {
    (0..size).map(|i| (i * 11 + i / 256) as u8 ^ seed).collect()
}

/// A context, a queue, and the step of sizes.
struct Place {
    queue: Queue,
    context: Context,
    step: usize,
}

impl Place {
    fn new(cx: &Cx) -> Result<Place, Stop> {
        cx.needs(UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT)?;
        let (context, queue) = cx.queue(0)?;
        let step = granularity(cx, &context, 1)?;
        Ok(Place {
            queue,
            context,
            step,
        })
    }

    fn memory(&self, cx: &Cx, steps: usize) -> Result<PhysicalMem, Stop> {
        PhysicalMem::new(&self.context, cx.device(), steps * self.step, None)
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for size in [1usize, 4096, 1 << 20, 1 << 26] {
        suite.device(format!("granularity::for_{size}_bytes"), move |cx| {
            let place = Place::new(cx)?;
            let least = ask(
                cx,
                &place.context,
                size,
                UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM,
            )?;
            let best = ask(
                cx,
                &place.context,
                size,
                UR_VIRTUAL_MEM_GRANULARITY_INFO_RECOMMENDED,
            )?;
            ensure!(least > 0 && best >= least, "{least} and {best}");
            same!("what is left of a recommended step", best % least, 0);
            // What was told must do.
            let size = size.next_multiple_of(best);
            let memory = PhysicalMem::new(&place.context, cx.device(), size, None)?;
            let range = Mapped::new(&place.context, &memory, size)?;
            same!("the first bytes", place.queue.fetch(range.at, 1)?.len(), 1);
            Ok(())
        });
    }
    suite.device("granularity::without_device", |cx| {
        let place = Place::new(cx)?;
        let step: usize =
            crate::info::value("urVirtualMemGranularityGetInfo", |room, value, out| {
                ur!(urVirtualMemGranularityGetInfo(
                    place.context.get(),
                    null_mut(),
                    1,
                    UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM,
                    room,
                    value,
                    out
                ))
            })?;
        ensure!(step > 0, "a step of 0");
        Ok(())
    });
    for steps in [1usize, 2, 7, 64] {
        suite.device(format!("reserve::{steps}_steps"), move |cx| {
            let place = Place::new(cx)?;
            let range = Reserved::new(&place.context, steps * place.step)?;
            same!("the address in its step", range.at as usize % place.step, 0);
            let other = Reserved::new(&place.context, steps * place.step)?;
            let (a, b) = (range.at as usize, other.at as usize);
            ensure!(a.abs_diff(b) >= range.size, "two ranges overlap");
            Ok(())
        });
        suite.device(
            format!("map::{steps}_steps_hold_what_is_written"),
            move |cx| {
                let place = Place::new(cx)?;
                let size = steps * place.step;
                let memory = place.memory(cx, steps)?;
                let range = Mapped::new(&place.context, &memory, size)?;
                let bytes = marked(size, 1);
                place.queue.put(range.at, &bytes)?;
                let found = place.queue.fetch(range.at, size)?;
                ensure!(found == bytes, "the bytes differ");
                Ok(())
            },
        );
    }
    suite.device("reserve::with_a_wish", |cx| {
        let place = Place::new(cx)?;
        // An address that is certainly free: that of a range just given back.
        let wish = Reserved::new(&place.context, place.step)?.at;
        let mut at = null_mut();
        ok!(urVirtualMemReserve(
            place.context.get(),
            wish,
            place.step,
            &raw mut at
        ))?;
        ensure!(!at.is_null(), "there is no range");
        ok!(urVirtualMemFree(place.context.get(), at, place.step))?;
        Ok(())
    });
    mapping(suite);
    access(suite);
    physical(suite);
    errors(suite);
}

fn mapping(suite: &mut Suite<'_>) {
    suite.device("map::two_ranges_of_one_memory", |cx| {
        let place = Place::new(cx)?;
        let memory = place.memory(cx, 1)?;
        let one = Mapped::new(&place.context, &memory, place.step)?;
        let two = Mapped::new(&place.context, &memory, place.step)?;
        let bytes = marked(place.step, 2);
        place.queue.put(one.at, &bytes)?;
        let found = place.queue.fetch(two.at, place.step)?;
        ensure!(found == bytes, "they are not the same memory");
        Ok(())
    });
    suite.device("map::parts_in_another_order", |cx| {
        let place = Place::new(cx)?;
        let (memory, step) = (place.memory(cx, 4)?, place.step);
        let straight = Mapped::new(&place.context, &memory, 4 * step)?;
        let bytes = marked(4 * step, 3);
        place.queue.put(straight.at, &bytes)?;
        let range = Reserved::new(&place.context, 4 * step)?;
        for part in 0..4 {
            range.map(part * step, step, &memory, (3 - part) * step, READ_WRITE)?;
        }
        for part in 0..4 {
            let found = place.queue.fetch(range.at(part * step), step)?;
            let from = (3 - part) * step;
            ensure!(found == bytes[from..from + step], "part {part} differs");
        }
        range.unmap(0, 4 * step)
    });
    suite.device("map::several_memories_in_one_range", |cx| {
        let place = Place::new(cx)?;
        let step = place.step;
        let range = Reserved::new(&place.context, 3 * step)?;
        let mut memories = Vec::new();
        for part in 0..3 {
            let memory = place.memory(cx, 1)?;
            range.map(part * step, step, &memory, 0, READ_WRITE)?;
            memories.push(memory);
        }
        let bytes = marked(3 * step, 4);
        place.queue.put(range.at, &bytes)?;
        let found = place.queue.fetch(range.at, 3 * step)?;
        ensure!(found == bytes, "the bytes differ");
        for part in 0..3 {
            range.unmap(part * step, step)?;
        }
        Ok(())
    });
    suite.device("unmap::what_is_left_stays", |cx| {
        let place = Place::new(cx)?;
        let (memory, step) = (place.memory(cx, 3)?, place.step);
        let range = Reserved::new(&place.context, 3 * step)?;
        for part in 0..3 {
            range.map(part * step, step, &memory, part * step, READ_WRITE)?;
        }
        let bytes = marked(3 * step, 5);
        place.queue.put(range.at, &bytes)?;
        range.unmap(step, step)?;
        let found = place.queue.fetch(range.at, step)?;
        ensure!(found == bytes[..step], "the first part differs");
        let found = place.queue.fetch(range.at(2 * step), step)?;
        ensure!(found == bytes[2 * step..], "the last part differs");
        // The memory kept what it held, too.
        range.map(step, step, &memory, step, READ_WRITE)?;
        let found = place.queue.fetch(range.at, 3 * step)?;
        ensure!(found == bytes, "the bytes differ");
        for part in 0..3 {
            range.unmap(part * step, step)?;
        }
        Ok(())
    });
    suite.device("unmap::contents_outlive_the_range", |cx| {
        let place = Place::new(cx)?;
        let memory = place.memory(cx, 1)?;
        let bytes = marked(place.step, 6);
        {
            let range = Mapped::new(&place.context, &memory, place.step)?;
            place.queue.put(range.at, &bytes)?;
        }
        let range = Mapped::new(&place.context, &memory, place.step)?;
        let found = place.queue.fetch(range.at, place.step)?;
        ensure!(found == bytes, "the bytes differ");
        Ok(())
    });
    suite.device("map::memory_released_while_mapped", |cx| {
        let place = Place::new(cx)?;
        let memory = place.memory(cx, 1)?;
        let range = Mapped::new(&place.context, &memory, place.step)?;
        memory.release()?;
        let bytes = marked(place.step, 7);
        place.queue.put(range.at, &bytes)?;
        let found = place.queue.fetch(range.at, place.step)?;
        ensure!(found == bytes, "the bytes differ");
        Ok(())
    });
    for rounds in [10, 200] {
        suite.device(format!("map::{rounds}_rounds"), move |cx| {
            let place = Place::new(cx)?;
            let memory = place.memory(cx, 1)?;
            for round in 0..rounds {
                let range = Mapped::new(&place.context, &memory, place.step)?;
                place.queue.put(range.at, &[round as u8; 16])?;
                same!(
                    "what it holds",
                    place.queue.fetch(range.at, 16)?,
                    [round as u8; 16]
                );
            }
            Ok(())
        });
    }
    suite.device("map::kernels_reach_it", |cx| {
        let place = Place::new(cx)?;
        let memory = place.memory(cx, 1)?;
        let range = Mapped::new(&place.context, &memory, place.step)?;
        let program = Program::built(&place.context, kernels::BASIC)?;
        let value = 0x0102_0304u32.to_ne_bytes();
        Kernel::new(&program, c"fill")?.run(
            &place.queue,
            Range::from(&[64][..]),
            &[Arg::Pointer(range.at), Arg::Value(&value)],
        )?;
        let found = place.queue.fetch(range.at, 256)?;
        ensure!(found == value.repeat(64), "{found:?}");
        Ok(())
    });
    suite.device("map::copies_and_fills_reach_it", |cx| {
        let place = Place::new(cx)?;
        let memory = place.memory(cx, 2)?;
        let step = place.step;
        let range = Mapped::new(&place.context, &memory, 2 * step)?;
        place.queue.fill(range.at, step, 0x5a, &[])?.wait()?;
        let behind = range.at.wrapping_byte_add(step);
        place.queue.copy(behind, range.at, step, &[])?.wait()?;
        let found = place.queue.fetch(behind, step)?;
        ensure!(found.iter().all(|b| *b == 0x5a), "the copy differs");
        Ok(())
    });
}

fn access(suite: &mut Suite<'_>) {
    for (name, flags) in [
        ("read_write", READ_WRITE),
        ("read_only", READ_ONLY),
        ("none", NONE),
    ] {
        suite.device(format!("access::mapped_with_{name}"), move |cx| {
            let place = Place::new(cx)?;
            let memory = place.memory(cx, 1)?;
            let range = Reserved::new(&place.context, place.step)?;
            range.map(0, place.step, &memory, 0, flags)?;
            same!("the access", range.access(0, place.step)?, flags);
            range.unmap(0, place.step)
        });
        for (before_name, before) in [
            ("read_write", READ_WRITE),
            ("read_only", READ_ONLY),
            ("none", NONE),
        ] {
            suite.device(format!("access::{before_name}_to_{name}"), move |cx| {
                let place = Place::new(cx)?;
                let memory = place.memory(cx, 1)?;
                let range = Reserved::new(&place.context, place.step)?;
                range.map(0, place.step, &memory, 0, before)?;
                range.set_access(0, place.step, flags)?;
                same!("the access", range.access(0, place.step)?, flags);
                range.unmap(0, place.step)
            });
        }
    }
    suite.device("access::read_only_memory_is_read", |cx| {
        let place = Place::new(cx)?;
        let memory = place.memory(cx, 1)?;
        let bytes = marked(place.step, 8);
        let range = Reserved::new(&place.context, place.step)?;
        range.map(0, place.step, &memory, 0, READ_WRITE)?;
        place.queue.put(range.at, &bytes)?;
        range.set_access(0, place.step, READ_ONLY)?;
        let found = place.queue.fetch(range.at, place.step)?;
        ensure!(found == bytes, "the bytes differ");
        range.unmap(0, place.step)
    });
    suite.device("access::of_a_part", |cx| {
        let place = Place::new(cx)?;
        let (memory, step) = (place.memory(cx, 2)?, place.step);
        let range = Reserved::new(&place.context, 2 * step)?;
        range.map(0, step, &memory, 0, READ_WRITE)?;
        range.map(step, step, &memory, step, READ_ONLY)?;
        same!("the first part's", range.access(0, step)?, READ_WRITE);
        same!("the second part's", range.access(step, step)?, READ_ONLY);
        range.set_access(step, step, READ_WRITE)?;
        same!("the second part's", range.access(step, step)?, READ_WRITE);
        range.unmap(0, step)?;
        range.unmap(step, step)
    });
}

fn physical(suite: &mut Suite<'_>) {
    for steps in [1usize, 2, 16] {
        suite.device(format!("physical::infos_of_{steps}_steps"), move |cx| {
            let place = Place::new(cx)?;
            let memory = place.memory(cx, steps)?;
            let size: usize = memory.info(UR_PHYSICAL_MEM_INFO_SIZE)?;
            same!("the size", size, steps * place.step);
            let context: ur_context_handle_t = memory.info(UR_PHYSICAL_MEM_INFO_CONTEXT)?;
            same!("the context", context, place.context.get());
            let device: ur_device_handle_t = memory.info(UR_PHYSICAL_MEM_INFO_DEVICE)?;
            same!("the device", device, cx.device());
            let mut told = ur_physical_mem_properties_t {
                flags: 77,
                ..Default::default()
            };
            ok!(urPhysicalMemGetInfo(
                memory.get(),
                UR_PHYSICAL_MEM_INFO_PROPERTIES,
                size_of_val(&told),
                (&raw mut told).cast(),
                null_mut()
            ))?;
            same!("the flags", told.flags, 0);
            same!("the count", memory.count()?, 1);
            Ok(())
        });
    }
    suite.device("physical::with_properties", |cx| {
        let place = Place::new(cx)?;
        let properties = ur_physical_mem_properties_t::default();
        let memory = PhysicalMem::new(&place.context, cx.device(), place.step, Some(&properties))?;
        same!("the count", memory.count()?, 1);
        Ok(())
    });
    for times in [1, 2, 100] {
        suite.device(format!("physical::retain::{times}_times"), move |cx| {
            let place = Place::new(cx)?;
            let memory = place.memory(cx, 1)?;
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(memory.retain()?);
                same!("the count", memory.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
                same!("the count", memory.count()? as usize, more.len() + 1);
            }
            let range = Mapped::new(&place.context, &memory, place.step)?;
            place.queue.put(range.at, &[1, 2, 3])?;
            same!("what it holds", place.queue.fetch(range.at, 3)?, [1, 2, 3]);
            Ok(())
        });
    }
    suite.device("physical::many", |cx| {
        let place = Place::new(cx)?;
        let all: Result<Vec<PhysicalMem>, Stop> = (0..64).map(|_| place.memory(cx, 1)).collect();
        for memory in all? {
            same!("the count", memory.count()?, 1);
        }
        Ok(())
    });
}

/// Whatever error it is, these must not succeed.
fn refuse(call: &str, code: ur_result_t) -> Outcome {
    ensure!(code != UR_RESULT_SUCCESS, "{call} succeeded");
    Ok(())
}

fn errors(suite: &mut Suite<'_>) {
    suite.device("physical::no_whole_step", |cx| {
        let place = Place::new(cx)?;
        let least = ask(
            cx,
            &place.context,
            1,
            UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM,
        )?;
        for size in [0, least - 1, least + 1] {
            let mut handle = null_mut();
            let code = ur!(urPhysicalMemCreate(
                place.context.get(),
                cx.device(),
                size,
                null(),
                &raw mut handle
            ));
            check("urPhysicalMemCreate", UR_RESULT_ERROR_INVALID_SIZE, code)?;
        }
        Ok(())
    });
    suite.device("map::beyond_the_memory", |cx| {
        let place = Place::new(cx)?;
        let (memory, step) = (place.memory(cx, 1)?, place.step);
        let range = Reserved::new(&place.context, 2 * step)?;
        for (size, offset) in [(2 * step, 0), (step, step)] {
            let code = ur!(urVirtualMemMap(
                place.context.get(),
                range.at,
                size,
                memory.get(),
                offset,
                READ_WRITE
            ));
            refuse("urVirtualMemMap", code)?;
        }
        Ok(())
    });
    suite.device("map::twice", |cx| {
        let place = Place::new(cx)?;
        let memory = place.memory(cx, 1)?;
        let range = Mapped::new(&place.context, &memory, place.step)?;
        let code = ur!(urVirtualMemMap(
            place.context.get(),
            range.at,
            place.step,
            memory.get(),
            0,
            READ_WRITE
        ));
        refuse("urVirtualMemMap", code)
    });
    suite.device("map::what_is_not_reserved", |cx| {
        let place = Place::new(cx)?;
        let memory = place.memory(cx, 1)?;
        let gone = Reserved::new(&place.context, place.step)?.at;
        let code = ur!(urVirtualMemMap(
            place.context.get(),
            gone,
            place.step,
            memory.get(),
            0,
            READ_WRITE
        ));
        refuse("urVirtualMemMap", code)
    });
    suite.device("unmap::what_is_not_mapped", |cx| {
        let place = Place::new(cx)?;
        let range = Reserved::new(&place.context, place.step)?;
        let context = place.context.get();
        let code = ur!(urVirtualMemUnmap(context, range.at, place.step));
        refuse("urVirtualMemUnmap", code)?;
        let code = ur!(urVirtualMemSetAccess(
            context, range.at, place.step, READ_ONLY
        ));
        refuse("urVirtualMemSetAccess", code)
    });
    suite.device("free::twice", |cx| {
        let place = Place::new(cx)?;
        let gone = Reserved::new(&place.context, place.step)?.at;
        let code = ur!(urVirtualMemFree(place.context.get(), gone, place.step));
        refuse("urVirtualMemFree", code)
    });
}
