//! Device memory that other APIs can be given.

use crate::failure::{Stop, check};
use crate::objects::{Context, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, ur};
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::ptr::null_mut;
use ur_api::*;

/// Kinds of handles that the suite has no use for.
const OTHERS: [ur_exp_external_mem_type_t; 4] = [
    UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT,
    UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT_DX12_RESOURCE,
    UR_EXP_EXTERNAL_MEM_TYPE_DMA_BUF,
    UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT_DX11_RESOURCE,
];

const FD: ur_exp_external_mem_type_t = UR_EXP_EXTERNAL_MEM_TYPE_OPAQUE_FD;

struct Exported {
    at: *mut c_void,
    device: ur_device_handle_t,
    queue: Queue,
    context: Context,
}

impl Exported {
    fn new(cx: &Cx, align: usize, size: usize) -> Result<Exported, Stop> {
        cx.needs(UR_DEVICE_INFO_MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP)?;
        let (context, queue) = cx.queue(0)?;
        let (mut at, device) = (null_mut(), cx.device());
        ok!(urMemoryExportAllocExportableMemoryExp(
            context.get(),
            device,
            align,
            size,
            FD,
            &raw mut at
        ))?;
        ensure!(!at.is_null(), "there is no memory");
        Ok(Exported {
            at,
            device,
            queue,
            context,
        })
    }

    fn file(&self) -> Result<File, Stop> {
        let mut number = -1i32;
        ok!(urMemoryExportExportMemoryHandleExp(
            self.context.get(),
            self.device,
            FD,
            self.at,
            (&raw mut number).cast()
        ))?;
        ensure!(number >= 0, "the file descriptor is {number}");
        // SAFETY: the call gave the file to the caller.
        Ok(unsafe { File::from_raw_fd(number) })
    }

    fn free(self) -> Outcome {
        ok!(urMemoryExportFreeExportableMemoryExp(
            self.context.get(),
            self.device,
            self.at
        ))?;
        Ok(())
    }
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for size in [1usize, 4096, 100_000, 1 << 22] {
        suite.device(format!("alloc::{size}_bytes"), move |cx| {
            let memory = Exported::new(cx, 0, size)?;
            let queue = &memory.queue;
            queue.fill(memory.at, size, 0x66, &[])?.wait()?;
            let found = queue.fetch(memory.at, size)?;
            ensure!(found.iter().all(|b| *b == 0x66), "the bytes differ");
            memory.free()
        });
        suite.device(format!("export::{size}_bytes"), move |cx| {
            let memory = Exported::new(cx, 0, size)?;
            drop(memory.file()?);
            // The file is the caller's: closing it takes nothing from the memory.
            memory.queue.fill(memory.at, size, 1, &[])?.wait()?;
            memory.free()
        });
    }
    for align in [1usize, 64, 4096] {
        suite.device(format!("alloc::aligned_to_{align}"), move |cx| {
            let memory = Exported::new(cx, align, 1000)?;
            ensure!(
                (memory.at as usize).is_multiple_of(align),
                "{:?}",
                memory.at
            );
            memory.free()
        });
    }
    for align in [3usize, 100, 6] {
        suite.device(format!("alloc::no_alignment_of_{align}"), move |cx| {
            cx.needs(UR_DEVICE_INFO_MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP)?;
            let context = cx.context()?;
            let mut at = null_mut();
            let code = ur!(urMemoryExportAllocExportableMemoryExp(
                context.get(),
                cx.device(),
                align,
                64,
                FD,
                &raw mut at
            ));
            let call = "urMemoryExportAllocExportableMemoryExp";
            check(call, UR_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, code)?;
            Ok(())
        });
    }
    for handle in OTHERS {
        let name = handle.to_string().to_lowercase();
        let name = name.replace("ur_exp_external_mem_type_", "");
        // Handles of another system cannot come from here; those of this one may.
        suite.device(format!("export::as_{name}"), move |cx| {
            cx.needs(UR_DEVICE_INFO_MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP)?;
            let context = cx.context()?;
            let mut at = null_mut();
            let code = ur!(urMemoryExportAllocExportableMemoryExp(
                context.get(),
                cx.device(),
                0,
                4096,
                handle,
                &raw mut at
            ));
            let no = [
                UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
                UR_RESULT_ERROR_INVALID_VALUE,
                UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
            ];
            if code == UR_RESULT_SUCCESS && handle == UR_EXP_EXTERNAL_MEM_TYPE_DMA_BUF {
                ensure!(!at.is_null(), "there is no memory");
                ok!(urMemoryExportFreeExportableMemoryExp(
                    context.get(),
                    cx.device(),
                    at
                ))?;
                return Ok(());
            }
            check(
                "urMemoryExportAllocExportableMemoryExp",
                no.as_slice(),
                code,
            )?;
            let memory = Exported::new(cx, 0, 4096)?;
            let mut place = [0u64; 2];
            let code = ur!(urMemoryExportExportMemoryHandleExp(
                memory.context.get(),
                memory.device,
                handle,
                memory.at,
                place.as_mut_ptr().cast()
            ));
            check("urMemoryExportExportMemoryHandleExp", no.as_slice(), code)?;
            memory.free()
        });
    }
    suite.device("export::several_files_of_one_memory", |cx| {
        let memory = Exported::new(cx, 0, 4096)?;
        let files: Result<Vec<File>, Stop> = (0..10).map(|_| memory.file()).collect();
        drop(files?);
        memory.free()
    });
    suite.device("export::the_file_holds_the_bytes", |cx| {
        let memory = Exported::new(cx, 0, 4096)?;
        let bytes: Vec<u8> = (0..4096).map(|i| (i * 13) as u8).collect();
        memory.queue.put(memory.at, &bytes)?;
        let mut found = vec![0u8; 4096];
        // What the file is, is the device's affair; where it can be read, it holds the memory.
        if memory.file()?.read_exact_at(&mut found, 0).is_err() {
            memory.free()?;
            return Err(Stop::Unsupported("the file cannot be read".into()));
        }
        ensure!(found == bytes, "the file's bytes differ");
        memory.free()
    });
    suite.device("export::what_is_not_exportable", |cx| {
        let memory = Exported::new(cx, 0, 4096)?;
        let own = Box::new(0u64);
        let mut number = -1i32;
        let code = ur!(urMemoryExportExportMemoryHandleExp(
            memory.context.get(),
            cx.device(),
            FD,
            (&raw const *own).cast_mut().cast(),
            (&raw mut number).cast()
        ));
        ensure!(
            code != UR_RESULT_SUCCESS,
            "memory of the host is exportable"
        );
        memory.free()
    });
    suite.device("free::twice", |cx| {
        let memory = Exported::new(cx, 0, 4096)?;
        let (context, at) = (crate::objects::Counted::retain(&memory.context)?, memory.at);
        memory.free()?;
        let code = ur!(urMemoryExportFreeExportableMemoryExp(
            context.get(),
            cx.device(),
            at
        ));
        ensure!(code != UR_RESULT_SUCCESS, "it was freed twice");
        Ok(())
    });
}
