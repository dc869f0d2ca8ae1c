//! Everything that calls LLVM: safe wrappers over its C interface.
//!
//! A [`Context`] belongs to one compilation and is never shared between threads. What comes out are
//! object files, which [`crate::link`] makes use of. Failures come back as messages.

pub mod edit;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;
use llvm_sys::{LLVMDiagnosticSeverity, LLVMLinkage};

/// The target of everything compiled here.
pub const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The data layout that belongs to [`TRIPLE`].
pub const DATA_LAYOUT: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Prepares LLVM once for the whole process.
fn initialise() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        extern "C" fn fatal(reason: *const c_char) {
            // LLVM ends the process when this returns; saying why is all that can be done.
            // SAFETY: LLVM passes a zero-terminated string that lives for the call.
            let reason = unsafe { CStr::from_ptr(reason) };
            eprintln!("ur-jit: LLVM stopped: {}", reason.to_string_lossy());
        }
        // SAFETY: plain registration functions; `get_or_init` runs them once, before any other use
        // of LLVM, and the handler is a function that lives for ever.
        unsafe {
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
            LLVMInstallFatalErrorHandler(Some(fatal));
            // The pass that takes vectors apart leaves loads and stores whole by itself.
            let words = [c"ur-jit".as_ptr(), c"-scalarize-load-store".as_ptr()];
            LLVMParseCommandLineOptions(2, words.as_ptr(), c"".as_ptr());
        }
    });
}

/// Takes a message that LLVM allocated.
///
/// # Safety
/// `text` is null or a zero-terminated string to be freed by `LLVMDisposeMessage`.
unsafe fn take_message(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises; the copy is made before the string is freed.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    }
}

/// Turns LLVM's error object into a result, consuming it.
fn check(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: `error` is a live error object that this function consumes; its message is copied
    // before it is freed.
    unsafe {
        let text = LLVMGetErrorMessage(error);
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(text);
        Err(copy)
    }
}

/// A C string from text that must not hold a zero byte.
fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("text with a zero byte: {text:?}"))
}

/// Diagnostics of error severity that LLVM reported in one context.
type Diagnostics = RefCell<Vec<String>>;

/// The types and constants of one compilation.
pub struct Context {
    raw: LLVMContextRef,
    diagnostics: Box<Diagnostics>,
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    /// Makes an empty context.
    pub fn new() -> Self {
        initialise();
        extern "C" fn note(info: LLVMDiagnosticInfoRef, user: *mut c_void) {
            // SAFETY: LLVM passes a live diagnostic and the pointer registered below, which is the
            // boxed list of the context that is being used on this thread.
            unsafe {
                if matches!(
                    LLVMGetDiagInfoSeverity(info),
                    LLVMDiagnosticSeverity::LLVMDSError
                ) {
                    let text = take_message(LLVMGetDiagInfoDescription(info));
                    (*user.cast::<Diagnostics>()).borrow_mut().push(text);
                }
            }
        }
        let diagnostics = Box::<Diagnostics>::default();
        // SAFETY: the context is new, and the handler's data is boxed and outlives it: both are
        // fields of this object, and the context is freed first.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(
                raw,
                Some(note),
                ptr::from_ref(&*diagnostics).cast_mut().cast(),
            );
            raw
        };
        Self { raw, diagnostics }
    }

    /// Parses IR text and verifies it.
    pub fn parse(&self, text: &str) -> Result<Module<'_>, String> {
        let mut module = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the buffer is a copy of `text`, and the parser takes it over whatever happens.
        let failed = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                text.as_ptr().cast(),
                text.len(),
                c"kernel".as_ptr(),
            );
            LLVMParseIRInContext(self.raw, buffer, &raw mut module, &raw mut message)
        };
        // SAFETY: on failure the message is LLVM's to be freed; on success it is null.
        let message = unsafe { take_message(message) };
        if failed != 0 {
            return Err(format!("IR does not parse: {message}"));
        }
        let module = Module {
            raw: module,
            context: PhantomData,
        };
        module.verify()?;
        Ok(module)
    }

    /// The errors reported since the last call, if any.
    pub fn take_errors(&self) -> Result<(), String> {
        let errors = self.diagnostics.take();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors.join("; "))
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

/// A module of IR.
pub struct Module<'c> {
    raw: LLVMModuleRef,
    context: PhantomData<&'c Context>,
}

impl Module<'_> {
    /// Checks that the module is well-formed.
    pub fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is live; the message, if any, is LLVM's to be freed.
        let (bad, text) = unsafe {
            let bad = LLVMVerifyModule(
                self.raw,
                LLVMVerifierFailureAction::LLVMReturnStatusAction,
                &raw mut message,
            );
            (bad != 0, take_message(message))
        };
        if bad {
            return Err(format!("IR is not valid: {text}"));
        }
        Ok(())
    }

    /// The module as text.
    pub fn text(&self) -> String {
        // SAFETY: the module is live and the string is LLVM's to be freed.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// Adds everything that `other` has. Names that are internal to either stay apart.
    pub fn link(&self, other: Module<'_>) -> Result<(), String> {
        let raw = other.raw;
        std::mem::forget(other);
        // SAFETY: both modules are live and of one context; the second is consumed, whatever happens.
        if unsafe { LLVMLinkModules2(self.raw, raw) } == 0 {
            Ok(())
        } else {
            Err("modules do not fit together".to_owned())
        }
    }

    /// Runs a pipeline written in LLVM's pass syntax.
    pub fn run(&self, target: &Target, passes: &str) -> Result<(), String> {
        let passes = c_string(passes)?;
        // SAFETY: module, target and options are live; the options are freed after the run.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
            LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
            let error = LLVMRunPasses(self.raw, passes.as_ptr(), target.raw, options);
            LLVMDisposePassBuilderOptions(options);
            check(error)
        }
    }

    /// Names of the functions and variables that the module uses and does not define, without
    /// LLVM's own intrinsics.
    pub fn unresolved(&self) -> Vec<String> {
        let mut names = Vec::new();
        // SAFETY: the walk visits live values of a live module; names are copied at once.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.raw);
            while !function.is_null() {
                if LLVMIsDeclaration(function) != 0 && LLVMGetIntrinsicID(function) == 0 {
                    names.push(value_name(function));
                }
                function = LLVMGetNextFunction(function);
            }
            let mut global = LLVMGetFirstGlobal(self.raw);
            while !global.is_null() {
                if LLVMIsDeclaration(global) != 0
                    && LLVMGetLinkage(global) == LLVMLinkage::LLVMExternalLinkage
                {
                    names.push(value_name(global));
                }
                global = LLVMGetNextGlobal(global);
            }
        }
        names
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: this object owns the module.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

/// Name of a global value.
///
/// # Safety
/// `value` is a live value.
unsafe fn value_name(value: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: the value is live, and its name is `length` bytes owned by it.
    unsafe {
        let name = LLVMGetValueName2(value, &raw mut length);
        String::from_utf8_lossy(std::slice::from_raw_parts(name.cast(), length)).into_owned()
    }
}

/// A CPU to compile for.
pub struct Target {
    raw: LLVMTargetMachineRef,
    register_bytes: u32,
}

impl Target {
    /// A target for an LLVM CPU name and feature list; the host's where they are `None`.
    ///
    /// # Errors
    /// A message when LLVM knows no such target.
    pub fn new(cpu: Option<&str>, features: Option<&str>) -> Result<Self, String> {
        Self::with_level(cpu, features, LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault)
    }

    /// As [`Target::new`], for code that is made fast rather than fast code.
    ///
    /// # Errors
    /// As [`Target::new`].
    pub fn unoptimised(cpu: Option<&str>, features: Option<&str>) -> Result<Self, String> {
        Self::with_level(cpu, features, LLVMCodeGenOptLevel::LLVMCodeGenLevelNone)
    }

    fn with_level(
        cpu: Option<&str>,
        features: Option<&str>,
        level: LLVMCodeGenOptLevel,
    ) -> Result<Self, String> {
        initialise();
        let (host_cpu, host_features) = host();
        let features = features.unwrap_or(if cpu.is_none() { host_features } else { "" });
        let cpu = c_string(cpu.unwrap_or(host_cpu))?;
        let features = c_string(features)?;
        let triple = c_string(TRIPLE)?;
        let mut target = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: all strings are zero-terminated and outlive the calls, which copy them.
        unsafe {
            if LLVMGetTargetFromTriple(triple.as_ptr(), &raw mut target, &raw mut message) != 0 {
                return Err(take_message(message));
            }
            let raw = LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                level,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelSmall,
            );
            if raw.is_null() {
                return Err("LLVM makes no target machine for x86-64".to_owned());
            }
            Ok(Self {
                raw,
                register_bytes: register_bytes(raw),
            })
        }
    }

    /// Bytes of the largest vector registers.
    pub fn register_bytes(&self) -> u32 {
        self.register_bytes
    }

    /// Generates code for a module; it may be changed on the way.
    fn emit(&self, module: &Module<'_>, kind: LLVMCodeGenFileType) -> Result<Buffer, String> {
        let mut buffer = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: target and module are live; the message is LLVM's to be freed.
        unsafe {
            if LLVMTargetMachineEmitToMemoryBuffer(
                self.raw,
                module.raw,
                kind,
                &raw mut message,
                &raw mut buffer,
            ) != 0
            {
                return Err(take_message(message));
            }
        }
        Ok(Buffer(buffer))
    }

    /// Compiles a module to an object file in memory.
    pub fn object(&self, module: &Module<'_>) -> Result<Buffer, String> {
        self.emit(module, LLVMCodeGenFileType::LLVMObjectFile)
    }

    /// Compiles a module to assembly text.
    pub fn assembly(&self, module: &Module<'_>) -> Result<String, String> {
        let buffer = self.emit(module, LLVMCodeGenFileType::LLVMAssemblyFile)?;
        Ok(String::from_utf8_lossy(buffer.bytes()).into_owned())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: this object owns the target machine.
        unsafe { LLVMDisposeTargetMachine(self.raw) }
    }
}

/// Bytes of a target's largest vector registers, by the features it was made with or, if there are
/// none, by its name.
///
/// # Safety
/// `target` is live.
unsafe fn register_bytes(target: LLVMTargetMachineRef) -> u32 {
    // SAFETY: as the caller promises; both functions return strings to be freed.
    let (cpu, features) = unsafe {
        (
            take_message(LLVMGetTargetMachineCPU(target)),
            take_message(LLVMGetTargetMachineFeatureString(target)),
        )
    };
    let has = |name: &str| features.split(',').any(|f| f == name);
    if has("+avx512f") || cpu == "x86-64-v4" {
        64
    } else if has("+avx") || has("+avx2") || cpu == "x86-64-v3" {
        32
    } else {
        16
    }
}

/// Name and features of the CPU this process runs on, as LLVM writes them.
pub fn host() -> (&'static str, &'static str) {
    static HOST: OnceLock<(String, String)> = OnceLock::new();
    let (cpu, features) = HOST.get_or_init(|| {
        // SAFETY: both functions return strings to be freed.
        unsafe {
            (
                take_message(LLVMGetHostCPUName()),
                take_message(LLVMGetHostCPUFeatures()),
            )
        }
    });
    (cpu, features)
}

/// Bytes that LLVM produced.
pub struct Buffer(LLVMMemoryBufferRef);

impl Buffer {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the buffer is live for as long as `self` and never changes.
        unsafe {
            std::slice::from_raw_parts(LLVMGetBufferStart(self.0).cast(), LLVMGetBufferSize(self.0))
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: this object owns the buffer.
        unsafe { LLVMDisposeMemoryBuffer(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link;

    const ADD: &str = "define i32 @add_one(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";

    #[test]
    fn compiles_and_runs() {
        let context = Context::new();
        let module = context.parse(ADD).expect("parses");
        let target = Target::new(None, None).expect("host target");
        module.run(&target, "default<O2>").expect("optimises");
        let object = target.object(&module).expect("emits");
        let code = link::load(object.bytes(), &["add_one"]).expect("links");
        let at = code.find("add_one").expect("exported");
        // SAFETY: the address is that of the function compiled above, with this signature.
        let add: extern "C" fn(i32) -> i32 = unsafe { std::mem::transmute(at) };
        assert_eq!(add(41), 42);
    }

    #[test]
    fn bad_text_is_an_error() {
        let context = Context::new();
        assert!(context.parse("define i32 @f( {").is_err());
        let unterminated = "define i32 @f() {\n  ret i64 0\n}\n";
        assert!(context.parse(unterminated).is_err());
        assert!(context.parse(ADD).is_ok());
    }

    #[test]
    fn process_symbols_are_invisible() {
        let context = Context::new();
        let text = "declare i32 @getpid()\ndefine i32 @who() {\n  %p = call i32 @getpid()\n  ret i32 %p\n}\n";
        let module = context.parse(text).expect("parses");
        assert_eq!(module.unresolved(), ["getpid"]);
        let target = Target::new(None, None).expect("host target");
        let object = target.object(&module).expect("emits");
        let Err(message) = link::load(object.bytes(), &["who"]) else {
            panic!("a symbol of the process was found");
        };
        assert!(message.contains("getpid"), "{message}");
    }
}
