//! Everything that calls LLVM: safe wrappers over its C interface.
//!
//! A [`Context`] belongs to one compilation and is never shared between threads; the [`Engine`] that
//! holds the finished code is shared by all. Failures come back as messages.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::{Mutex, OnceLock};

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::orc2::lljit::*;
use llvm_sys::orc2::*;
use llvm_sys::prelude::*;
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
}

impl Target {
    /// A target for an LLVM CPU name and feature list; the host's where they are `None`.
    ///
    /// # Errors
    /// A message when LLVM knows no such target.
    pub fn new(cpu: Option<&str>, features: Option<&str>) -> Result<Self, String> {
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
                LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelSmall,
            );
            if raw.is_null() {
                return Err("LLVM makes no target machine for x86-64".to_owned());
            }
            Ok(Self { raw })
        }
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

/// A function of this process that compiled code may call.
#[derive(Clone, Copy)]
pub struct Symbol {
    /// Name in the IR.
    pub name: &'static str,
    /// Its address.
    pub address: usize,
}

/// Holds compiled code. Code sees the symbols it was given and nothing else of the process.
pub struct Engine {
    jit: LLVMOrcLLJITRef,
    session: LLVMOrcExecutionSessionRef,
    library: LLVMOrcJITDylibRef,
    /// What ORC had to say about failures; a lookup that fails only says that it did.
    reports: Box<Mutex<Vec<String>>>,
}

// SAFETY: ORC's session, libraries and trackers lock internally.
unsafe impl Send for Engine {}
// SAFETY: as above.
unsafe impl Sync for Engine {}

impl Engine {
    /// Makes an engine whose code may call `symbols`.
    ///
    /// # Errors
    /// A message when ORC cannot be set up.
    pub fn new(symbols: &[Symbol]) -> Result<Self, String> {
        initialise();
        extern "C" fn report(user: *mut c_void, error: LLVMErrorRef) {
            if let Err(text) = check(error) {
                // SAFETY: `user` is the boxed list of the engine, which outlives its session.
                let reports = unsafe { &*user.cast::<Mutex<Vec<String>>>() };
                if let Ok(mut reports) = reports.lock() {
                    reports.push(text);
                }
            }
        }
        let reports = Box::<Mutex<Vec<String>>>::default();
        let mut jit = ptr::null_mut();
        // SAFETY: the null builder asks for the defaults; the session and the library belong to
        // the engine and live as long as it does. Each interned name is handed over to ORC.
        unsafe {
            check(LLVMOrcCreateLLJIT(&raw mut jit, ptr::null_mut()))?;
            let session = LLVMOrcLLJITGetExecutionSession(jit);
            let list = ptr::from_ref(&*reports).cast_mut().cast();
            LLVMOrcExecutionSessionSetErrorReporter(session, report, list);
            // A bare library has no link to the process's own symbols.
            let library = LLVMOrcExecutionSessionCreateBareJITDylib(session, c"kernels".as_ptr());
            let mut pairs = Vec::with_capacity(symbols.len());
            for symbol in symbols {
                let name = c_string(symbol.name)?;
                pairs.push(LLVMOrcCSymbolMapPair {
                    Name: LLVMOrcExecutionSessionIntern(session, name.as_ptr()),
                    Sym: LLVMJITEvaluatedSymbol {
                        Address: symbol.address as u64,
                        Flags: LLVMJITSymbolFlags {
                            GenericFlags:
                                LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
                                    | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable
                                        as u8,
                            TargetFlags: 0,
                        },
                    },
                });
            }
            if !pairs.is_empty() {
                let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
                check(LLVMOrcJITDylibDefine(library, unit))?;
            }
            Ok(Self {
                jit,
                session,
                library,
                reports,
            })
        }
    }

    /// Adds an object file and finds functions in it. `names` must differ from all names in use.
    ///
    /// # Errors
    /// A message naming what cannot be resolved.
    pub fn add(&'static self, object: Buffer, names: &[&str]) -> Result<Code, String> {
        // SAFETY: the engine lives for ever. ORC takes the buffer over, so its owner here is
        // forgotten; the tracker is owned by the `Code` made at once, which frees it on each path.
        let code = unsafe {
            let tracker = LLVMOrcJITDylibCreateResourceTracker(self.library);
            let raw = object.0;
            std::mem::forget(object);
            let code = Code {
                tracker,
                addresses: Vec::new(),
            };
            check(LLVMOrcLLJITAddObjectFileWithRT(self.jit, tracker, raw))?;
            code
        };
        let mut code = code;
        for name in names {
            code.addresses.push(self.lookup(name)?);
        }
        Ok(code)
    }

    /// Address of a symbol, linking what it needs.
    fn lookup(&self, name: &str) -> Result<usize, String> {
        type Answer = Option<Result<usize, String>>;
        extern "C" fn answer(
            error: LLVMErrorRef,
            pairs: LLVMOrcCSymbolMapPairs,
            count: usize,
            user: *mut c_void,
        ) {
            let result = check(error).and_then(|()| {
                if count == 0 {
                    return Err("the lookup found nothing".to_owned());
                }
                // SAFETY: without an error there are `count` pairs, alive during this call.
                Ok(unsafe { (*pairs).Sym.Address as usize })
            });
            // SAFETY: `user` is the answer below, which outlives the lookup: without a dispatcher
            // ORC does all its work before `LLVMOrcExecutionSessionLookup` returns.
            unsafe { *user.cast::<Answer>() = Some(result) };
        }
        let c_name = c_string(name)?;
        let mut found: Answer = None;
        // SAFETY: order, set and answer outlive the call; the interned name's count is taken over
        // by the lookup.
        unsafe {
            let mut order = LLVMOrcCJITDylibSearchOrderElement {
                JD: self.library,
                JDLookupFlags:
                    LLVMOrcJITDylibLookupFlags::LLVMOrcJITDylibLookupFlagsMatchAllSymbols,
            };
            let mut set = LLVMOrcCLookupSetElement {
                Name: LLVMOrcExecutionSessionIntern(self.session, c_name.as_ptr()),
                LookupFlags: LLVMOrcSymbolLookupFlags::LLVMOrcSymbolLookupFlagsRequiredSymbol,
            };
            LLVMOrcExecutionSessionLookup(
                self.session,
                LLVMOrcLookupKind::LLVMOrcLookupKindStatic,
                &raw mut order,
                1,
                &raw mut set,
                1,
                answer,
                (&raw mut found).cast(),
            );
        }
        let found = found.unwrap_or_else(|| Err(format!("the lookup of {name} did not finish")));
        found.map_err(|mut message| {
            if let Ok(mut reports) = self.reports.lock() {
                for report in reports.drain(..) {
                    message.push_str("; ");
                    message.push_str(&report);
                }
            }
            message
        })
    }
}

/// Code in memory; dropping it frees the memory.
pub struct Code {
    tracker: LLVMOrcResourceTrackerRef,
    /// Addresses of the functions asked for, in their order.
    pub addresses: Vec<usize>,
}

// SAFETY: the tracker is locked by its session.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: this object owns the tracker; whoever frees code promises that no thread runs it.
        unsafe {
            // Nothing can be done about memory that does not come back.
            let _ = check(LLVMOrcResourceTrackerRemove(self.tracker));
            LLVMOrcReleaseResourceTracker(self.tracker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADD: &str = "define i32 @add_one(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";

    #[test]
    fn compiles_and_runs() {
        let context = Context::new();
        let module = context.parse(ADD).expect("parses");
        let target = Target::new(None, None).expect("host target");
        module.run(&target, "default<O2>").expect("optimises");
        let object = target.object(&module).expect("emits");
        let engine: &'static Engine = Box::leak(Box::new(Engine::new(&[]).expect("engine")));
        let code = engine.add(object, &["add_one"]).expect("links");
        // SAFETY: the address is that of the function compiled above, with this signature.
        let add: extern "C" fn(i32) -> i32 = unsafe { std::mem::transmute(code.addresses[0]) };
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
        let engine: &'static Engine = Box::leak(Box::new(Engine::new(&[]).expect("engine")));
        let Err(message) = engine.add(object, &["who"]) else {
            panic!("a symbol of the process was found");
        };
        assert!(message.contains("getpid"), "{message}");
    }
}
