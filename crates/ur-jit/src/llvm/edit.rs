//! Reading and building IR in memory, for passes of ours.
//!
//! Handles are as long-lived as the borrow of the module they come from; nothing here deletes a
//! value or a block, so a handle never dangles. Building with types that do not fit is caught by the
//! verifier, which a pass runs when it is done.

use std::ffi::CString;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMStoreSizeOfType};
pub use llvm_sys::{
    LLVMAtomicOrdering as Ordering, LLVMAtomicRMWBinOp as RmwOp, LLVMIntPredicate as IntPredicate,
    LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate, LLVMTypeKind as Kind,
};

use super::{Module, value_name};

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type<'m>(LLVMTypeRef, PhantomData<&'m ()>);

/// A value: an instruction, an argument, a constant, a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value<'m>(LLVMValueRef, PhantomData<&'m ()>);

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block<'m>(LLVMBasicBlockRef, PhantomData<&'m ()>);

const fn ty<'m>(raw: LLVMTypeRef) -> Type<'m> {
    Type(raw, PhantomData)
}

const fn val<'m>(raw: LLVMValueRef) -> Value<'m> {
    Value(raw, PhantomData)
}

const fn block<'m>(raw: LLVMBasicBlockRef) -> Block<'m> {
    Block(raw, PhantomData)
}

// SAFETY of all blocks below, unless they say more: handles are live as long as `'m`, see the head
// of this file, and the functions called only read what a handle stands for or make new values.

impl<'m> Type<'m> {
    /// What sort of type it is.
    pub fn kind(self) -> Kind {
        // SAFETY: a live type.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Whether it is an integer.
    pub fn is_int(self) -> bool {
        self.kind() == Kind::LLVMIntegerTypeKind
    }

    /// Whether it is a pointer.
    pub fn is_ptr(self) -> bool {
        self.kind() == Kind::LLVMPointerTypeKind
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(
            self.kind(),
            Kind::LLVMHalfTypeKind | Kind::LLVMFloatTypeKind | Kind::LLVMDoubleTypeKind
        )
    }

    /// Whether it is `void`.
    pub fn is_void(self) -> bool {
        self.kind() == Kind::LLVMVoidTypeKind
    }

    /// Whether it is an integer, a number or a pointer.
    pub fn is_scalar(self) -> bool {
        self.is_int() || self.is_ptr() || self.is_float()
    }

    /// Bits of an integer.
    pub fn bits(self) -> u32 {
        debug_assert!(self.is_int());
        // SAFETY: an integer type.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Whether it is a vector.
    pub fn is_vector(self) -> bool {
        self.kind() == Kind::LLVMVectorTypeKind
    }

    /// Elements of a vector.
    pub fn lanes(self) -> u32 {
        debug_assert!(self.is_vector());
        // SAFETY: a vector.
        unsafe { LLVMGetVectorSize(self.0) }
    }

    /// A vector of this.
    pub fn vector(self, lanes: u32) -> Self {
        // SAFETY: a live scalar type.
        ty(unsafe { LLVMVectorType(self.0, lanes) })
    }

    /// An array of this.
    pub fn array(self, count: u64) -> Self {
        // SAFETY: a live type.
        ty(unsafe { LLVMArrayType2(self.0, count) })
    }

    /// Members of a structure.
    pub fn members(self) -> Vec<Self> {
        // SAFETY: a live structure; the indices are within its count.
        unsafe {
            let count = LLVMCountStructElementTypes(self.0);
            (0..count)
                .map(|i| ty(LLVMStructGetTypeAtIndex(self.0, i)))
                .collect()
        }
    }

    /// The type of an array's or a vector's elements.
    pub fn element(self) -> Self {
        // SAFETY: an array or a vector.
        ty(unsafe { LLVMGetElementType(self.0) })
    }

    /// A zero.
    pub fn zero(self) -> Value<'m> {
        // SAFETY: a live type.
        val(unsafe { LLVMConstNull(self.0) })
    }

    /// A value nobody may look at.
    pub fn poison(self) -> Value<'m> {
        // SAFETY: a live type.
        val(unsafe { LLVMGetPoison(self.0) })
    }

    /// An integer, wrapped to the type's width.
    pub fn int(self, number: i64) -> Value<'m> {
        debug_assert!(self.is_int());
        // SAFETY: an integer type.
        val(unsafe { LLVMConstInt(self.0, number.cast_unsigned(), 1) })
    }

    /// A floating-point number.
    pub fn real(self, number: f64) -> Value<'m> {
        debug_assert!(self.is_float());
        // SAFETY: a floating-point type.
        val(unsafe { LLVMConstReal(self.0, number) })
    }

    /// All bits set.
    pub fn ones(self) -> Value<'m> {
        // SAFETY: an integer type or a vector of one.
        val(unsafe { LLVMConstAllOnes(self.0) })
    }
}

impl<'m> Value<'m> {
    /// Its type.
    pub fn ty(self) -> Type<'m> {
        // SAFETY: a live value.
        ty(unsafe { LLVMTypeOf(self.0) })
    }

    /// The number of a constant integer of at most 64 bits, sign-extended.
    pub fn constant_int(self) -> Option<i64> {
        // SAFETY: a live value; the number is read of constants of fitting types only.
        unsafe {
            (!LLVMIsAConstantInt(self.0).is_null() && self.ty().bits() <= 64)
                .then(|| LLVMConstIntGetSExtValue(self.0))
        }
    }

    /// Whether it is a constant, a function or a variable.
    pub fn is_constant(self) -> bool {
        // SAFETY: a live value.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// The block of an instruction.
    pub fn block(self) -> Block<'m> {
        // SAFETY: an instruction in a block.
        block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        // SAFETY: a live value.
        unsafe { !LLVMIsAInstruction(self.0).is_null() }
    }

    /// What an instruction does.
    pub fn opcode(self) -> Opcode {
        // SAFETY: an instruction.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// How many operands it has.
    pub fn operand_count(self) -> u32 {
        // SAFETY: a live value with operands, or none.
        u32::try_from(unsafe { LLVMGetNumOperands(self.0) }).unwrap_or(0)
    }

    /// An operand.
    pub fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.operand_count());
        // SAFETY: the index is within the count.
        val(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// Arguments of a call.
    pub fn call_args(self) -> Vec<Value<'m>> {
        // SAFETY: a call; its arguments are its first operands.
        let count = unsafe { LLVMGetNumArgOperands(self.0) };
        (0..count).map(|i| self.operand(i)).collect()
    }

    /// What a call calls.
    pub fn callee(self) -> Value<'m> {
        // SAFETY: a call.
        val(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// Type of the function that a call calls.
    pub fn callee_type(self) -> Type<'m> {
        // SAFETY: a call.
        ty(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        // SAFETY: a live value.
        unsafe { !LLVMIsAFunction(self.0).is_null() }
    }

    /// Whether a call promises to touch no memory.
    pub fn is_pure_call(self) -> bool {
        const NAME: &str = "memory";
        // SAFETY: a call and its function; attributes are read of live ones, and the index is that
        // of the function itself.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            let at_call = LLVMGetCallSiteEnumAttribute(self.0, index, kind);
            let callee = self.callee();
            let of_function = if callee.is_function() {
                LLVMGetEnumAttributeAtIndex(callee.0, index, kind)
            } else {
                std::ptr::null_mut()
            };
            [at_call, of_function]
                .into_iter()
                .any(|a| !a.is_null() && LLVMGetEnumAttributeValue(a) == 0)
        }
    }

    /// Number of the intrinsic that a function is; 0 for other functions.
    pub fn intrinsic(self) -> u32 {
        if !self.is_function() {
            return 0;
        }
        // SAFETY: a function.
        unsafe { LLVMGetIntrinsicID(self.0) }
    }

    /// Its name.
    pub fn name(self) -> String {
        // SAFETY: a live value.
        unsafe { value_name(self.0) }
    }

    /// Predicate of a comparison of integers.
    pub fn int_predicate(self) -> IntPredicate {
        // SAFETY: such a comparison.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// Whether an arithmetic instruction promises not to overflow as a signed one.
    pub fn no_signed_wrap(self) -> bool {
        // SAFETY: the instructions that have the flag.
        unsafe { has_wrap_flags(self.0) && LLVMGetNSW(self.0) != 0 }
    }

    /// Whether it promises not to overflow as an unsigned one.
    pub fn no_unsigned_wrap(self) -> bool {
        // SAFETY: the instructions that have the flag.
        unsafe { has_wrap_flags(self.0) && LLVMGetNUW(self.0) != 0 }
    }

    /// Whether an `or` promises that its operands have no bit in common.
    pub fn is_disjoint(self) -> bool {
        // SAFETY: an `or`.
        unsafe { self.opcode() == Opcode::LLVMOr && LLVMGetIsDisjoint(self.0) != 0 }
    }

    /// Type that a `getelementptr` counts in.
    pub fn gep_type(self) -> Type<'m> {
        // SAFETY: such an instruction.
        ty(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// Type that an `alloca` makes.
    pub fn allocated(self) -> Type<'m> {
        // SAFETY: an `alloca`.
        ty(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// Alignment in bytes of a memory access or an `alloca`.
    pub fn align(self) -> u32 {
        // SAFETY: such an instruction.
        unsafe { LLVMGetAlignment(self.0) }
    }

    /// Whether a load or store is one that must happen just so.
    pub fn is_special_access(self) -> bool {
        // SAFETY: a load or a store.
        unsafe {
            LLVMGetVolatile(self.0) != 0
                || LLVMGetOrdering(self.0) != Ordering::LLVMAtomicOrderingNotAtomic
        }
    }

    /// Whether an atomic operation only orders what one thread does.
    pub fn is_single_thread(self) -> bool {
        // SAFETY: an `atomicrmw`.
        unsafe { LLVMIsAtomicSingleThread(self.0) != 0 }
    }

    /// What an `atomicrmw` does.
    pub fn rmw_op(self) -> RmwOp {
        // SAFETY: an `atomicrmw`.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// Sets an operand.
    pub fn set_operand(self, index: u32, value: Value<'m>) {
        assert!(index < self.operand_count());
        // SAFETY: the index is within the count.
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    /// Incoming values of a phi.
    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        // SAFETY: a phi; the indices are within its count.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| {
                    (
                        val(LLVMGetIncomingValue(self.0, i)),
                        block(LLVMGetIncomingBlock(self.0, i)),
                    )
                })
                .collect()
        }
    }

    /// Adds an incoming value to a phi.
    pub fn add_incoming(self, value: Value<'m>, from: Block<'m>) {
        let (mut value, mut from) = (value.0, from.0);
        // SAFETY: a phi; one value and one block.
        unsafe { LLVMAddIncoming(self.0, &raw mut value, &raw mut from, 1) }
    }

    /// Indices of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        // SAFETY: such an instruction, which keeps its indices for as long as it lives.
        unsafe {
            let count = usize::try_from(LLVMGetNumIndices(self.0)).unwrap_or(0);
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// Blocks that a terminator goes to.
    pub fn successors(self) -> Vec<Block<'m>> {
        // SAFETY: a terminator; the indices are within its count.
        unsafe {
            (0..LLVMGetNumSuccessors(self.0))
                .map(|i| block(LLVMGetSuccessor(self.0, i)))
                .collect()
        }
    }

    /// Whether an instruction ends a block.
    pub fn is_terminator(self) -> bool {
        // SAFETY: an instruction.
        unsafe { !LLVMIsATerminatorInst(self.0).is_null() }
    }

    /// Sets a block that a terminator goes to.
    pub fn set_successor(self, index: u32, to: Block<'m>) {
        // SAFETY: a terminator; the index is within its count.
        unsafe {
            assert!(index < LLVMGetNumSuccessors(self.0));
            LLVMSetSuccessor(self.0, index, to.0);
        }
    }

    /// Whether a constant may be another number each time it is looked at.
    pub fn is_undefined(self) -> bool {
        // SAFETY: a live value.
        unsafe { LLVMIsUndef(self.0) != 0 && LLVMIsPoison(self.0) == 0 }
    }

    /// Condition of a branch that has one.
    pub fn condition(self) -> Option<Value<'m>> {
        // SAFETY: a branch.
        unsafe { (LLVMIsConditional(self.0) != 0).then(|| val(LLVMGetCondition(self.0))) }
    }

    /// Blocks of a function, the entry first.
    pub fn blocks(self) -> Vec<Block<'m>> {
        let mut all = Vec::new();
        // SAFETY: a function.
        let mut next = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !next.is_null() {
            all.push(block(next));
            // SAFETY: a block.
            next = unsafe { LLVMGetNextBasicBlock(next) };
        }
        all
    }

    /// Parameters of a function.
    pub fn params(self) -> Vec<Value<'m>> {
        // SAFETY: a function; the indices are within its count.
        unsafe {
            (0..LLVMCountParams(self.0))
                .map(|i| val(LLVMGetParam(self.0, i)))
                .collect()
        }
    }

    /// Makes a function visible to everyone, so that it stays where nothing calls it.
    pub fn set_external(self) {
        // SAFETY: a function.
        unsafe { LLVMSetLinkage(self.0, llvm_sys::LLVMLinkage::LLVMExternalLinkage) }
    }

    /// Renames a function or variable.
    pub fn rename(self, name: &str) {
        // SAFETY: a live value; as many bytes as said are copied.
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// Gives a variable that is only declared its constant value.
    pub fn set_constant(self, value: Value<'m>) {
        // SAFETY: a variable without a value; the verifier checks the type.
        unsafe {
            LLVMSetInitializer(self.0, value.0);
            LLVMSetGlobalConstant(self.0, 1);
            LLVMSetLinkage(self.0, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
        }
    }

    /// Keeps a function from being put in place of its calls.
    pub fn set_noinline(self) {
        self.add_attribute(llvm_sys::LLVMAttributeFunctionIndex, "noinline");
    }

    /// Promises that a function does not unwind.
    pub fn set_nounwind(self) {
        self.add_attribute(llvm_sys::LLVMAttributeFunctionIndex, "nounwind");
    }

    /// Promises that nothing else leads to the memory that a function reaches by a parameter, or
    /// that nothing there changes.
    pub fn set_alone(self, param: u32) {
        self.add_attribute(param + 1, "noalias");
    }

    /// Promises that a function only reads what a parameter leads to.
    pub fn set_read_only(self, param: u32) {
        self.add_attribute(param + 1, "readonly");
    }

    /// Adds an attribute without a value to a function, or to a parameter counted from 1.
    fn add_attribute(self, index: u32, name: &str) {
        // SAFETY: a function and its context; the attribute takes no value.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let context = LLVMGetModuleContext(LLVMGetGlobalParent(self.0));
            let attribute = LLVMCreateEnumAttribute(context, kind, 0);
            LLVMAddAttributeAtIndex(self.0, index, attribute);
        }
    }

    /// Makes a function visible in its module only.
    pub fn set_internal(self) {
        // SAFETY: a function.
        unsafe { LLVMSetLinkage(self.0, llvm_sys::LLVMLinkage::LLVMInternalLinkage) }
    }
}

/// Whether an instruction has the flags against overflow.
fn has_wrap_flags(inst: LLVMValueRef) -> bool {
    // SAFETY: a live value.
    unsafe {
        !LLVMIsAInstruction(inst).is_null()
            && matches!(
                LLVMGetInstructionOpcode(inst),
                Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl
            )
    }
}

impl<'m> Block<'m> {
    /// The instruction that ends it.
    pub fn terminator(self) -> Value<'m> {
        // SAFETY: a block that is complete.
        val(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    /// Its instructions in order, the terminator last.
    pub fn instructions(self) -> Vec<Value<'m>> {
        let mut all = Vec::new();
        // SAFETY: a block.
        let mut next = unsafe { LLVMGetFirstInstruction(self.0) };
        while !next.is_null() {
            all.push(val(next));
            // SAFETY: an instruction.
            next = unsafe { LLVMGetNextInstruction(next) };
        }
        all
    }
}

/// Makes instructions in a module.
pub struct Builder<'m> {
    raw: LLVMBuilderRef,
    module: LLVMModuleRef,
    context: LLVMContextRef,
    life: PhantomData<&'m ()>,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: this object owns the builder.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

impl<'m> Builder<'m> {
    /// A builder for a module.
    pub fn new(module: &'m Module<'_>) -> Self {
        // SAFETY: the module and its context are live for `'m`.
        unsafe {
            let context = LLVMGetModuleContext(module.raw);
            Self {
                raw: LLVMCreateBuilderInContext(context),
                module: module.raw,
                context,
                life: PhantomData,
            }
        }
    }

    /// The function with that name.
    pub fn function(&self, name: &str) -> Option<Value<'m>> {
        let name = CString::new(name).ok()?;
        // SAFETY: a zero-terminated name that outlives the call.
        let found = unsafe { LLVMGetNamedFunction(self.module, name.as_ptr()) };
        (!found.is_null()).then_some(val(found))
    }

    /// The variable with that name.
    pub fn variable(&self, name: &str) -> Option<Value<'m>> {
        let name = CString::new(name).ok()?;
        // SAFETY: a zero-terminated name that outlives the call.
        let found = unsafe { LLVMGetNamedGlobal(self.module, name.as_ptr()) };
        (!found.is_null()).then_some(val(found))
    }

    /// An integer type.
    pub fn int_type(&self, bits: u32) -> Type<'m> {
        // SAFETY: a live context.
        ty(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    /// The type of pointers.
    pub fn ptr_type(&self) -> Type<'m> {
        // SAFETY: a live context.
        ty(unsafe { LLVMPointerTypeInContext(self.context, 0) })
    }

    /// No token.
    pub fn no_token(&self) -> Value<'m> {
        // SAFETY: a live context.
        unsafe { val(LLVMConstNull(LLVMTokenTypeInContext(self.context))) }
    }

    /// A jump by number.
    pub fn switch(&self, number: Value<'m>, default: Block<'m>, cases: &[(i64, Block<'m>)]) {
        // SAFETY: live blocks, and constants of the number's type.
        unsafe {
            let made = LLVMBuildSwitch(
                self.raw,
                number.0,
                default.0,
                u32::try_from(cases.len()).unwrap_or(0),
            );
            for (case, to) in cases {
                LLVMAddCase(made, number.ty().int(*case).0, to.0);
            }
        }
    }

    /// The end of a function with a result.
    pub fn ret(&self, value: Value<'m>) {
        // SAFETY: the builder stands in a block.
        unsafe {
            LLVMBuildRet(self.raw, value.0);
        }
    }

    /// The type of halves.
    pub fn half_type(&self) -> Type<'m> {
        // SAFETY: a live context.
        ty(unsafe { LLVMHalfTypeInContext(self.context) })
    }

    /// The type of floats.
    pub fn float_type(&self) -> Type<'m> {
        // SAFETY: a live context.
        ty(unsafe { LLVMFloatTypeInContext(self.context) })
    }

    /// The type of doubles.
    pub fn double_type(&self) -> Type<'m> {
        // SAFETY: a live context.
        ty(unsafe { LLVMDoubleTypeInContext(self.context) })
    }

    /// A function's type.
    pub fn function_type(&self, result: Type<'m>, params: &[Type<'m>]) -> Type<'m> {
        let mut params: Vec<LLVMTypeRef> = params.iter().map(|p| p.0).collect();
        let count = u32::try_from(params.len()).unwrap_or(0);
        // SAFETY: live types, as many as said.
        ty(unsafe { LLVMFunctionType(result.0, params.as_mut_ptr(), count, 0) })
    }

    /// `void`.
    pub fn void_type(&self) -> Type<'m> {
        // SAFETY: a live context.
        ty(unsafe { LLVMVoidTypeInContext(self.context) })
    }

    /// Declares or finds a function.
    pub fn declare(&self, name: &str, function: Type<'m>) -> Option<Value<'m>> {
        if let Some(found) = self.function(name) {
            return Some(found);
        }
        let name = CString::new(name).ok()?;
        // SAFETY: a zero-terminated name that outlives the call.
        Some(val(unsafe {
            LLVMAddFunction(self.module, name.as_ptr(), function.0)
        }))
    }

    /// The intrinsic with that number for these types.
    pub fn intrinsic(&self, id: u32, types: &[Type<'m>]) -> Value<'m> {
        let mut types: Vec<LLVMTypeRef> = types.iter().map(|t| t.0).collect();
        // SAFETY: live types, as many as said.
        val(unsafe {
            LLVMGetIntrinsicDeclaration(self.module, id, types.as_mut_ptr(), types.len())
        })
    }

    /// The number of the intrinsic `name` (without types at its end).
    pub fn intrinsic_id(name: &str) -> u32 {
        // SAFETY: as many bytes as said.
        unsafe { LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()) }
    }

    /// Calls the intrinsic `name` for these types.
    pub fn call_intrinsic(&self, name: &str, types: &[Type<'m>], args: &[Value<'m>]) -> Value<'m> {
        let function = self.intrinsic(Self::intrinsic_id(name), types);
        self.call_function(function, args)
    }

    /// Calls a function that is known.
    pub fn call_function(&self, function: Value<'m>, args: &[Value<'m>]) -> Value<'m> {
        // SAFETY: a function.
        let of = ty(unsafe { LLVMGlobalGetValueType(function.0) });
        self.call(of, function, args)
    }

    /// Calls what `callee` points to.
    pub fn call(&self, of: Type<'m>, callee: Value<'m>, args: &[Value<'m>]) -> Value<'m> {
        let mut args: Vec<LLVMValueRef> = args.iter().map(|a| a.0).collect();
        let count = u32::try_from(args.len()).unwrap_or(0);
        // SAFETY: live values, as many as said; the verifier checks that they fit.
        val(unsafe {
            LLVMBuildCall2(
                self.raw,
                of.0,
                callee.0,
                args.as_mut_ptr(),
                count,
                c"".as_ptr(),
            )
        })
    }

    /// Bytes that a value of the type takes in an array.
    pub fn size_of(&self, of: Type<'m>) -> u64 {
        // SAFETY: a sized type; the layout is the module's.
        unsafe { LLVMABISizeOfType(LLVMGetModuleDataLayout(self.module), of.0) }
    }

    /// Bytes that storing a value of the type writes.
    pub fn store_size(&self, of: Type<'m>) -> u64 {
        // SAFETY: a sized type; the layout is the module's.
        unsafe { LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.module), of.0) }
    }

    /// Distance in bytes of a structure's member from its start.
    pub fn member_offset(&self, of: Type<'m>, member: u32) -> u64 {
        // SAFETY: a structure with that member.
        unsafe {
            llvm_sys::target::LLVMOffsetOfElement(
                LLVMGetModuleDataLayout(self.module),
                of.0,
                member,
            )
        }
    }

    /// Adds a block to a function.
    pub fn block(&self, function: Value<'m>, name: &str) -> Block<'m> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: a function and a zero-terminated name.
        block(unsafe { LLVMAppendBasicBlockInContext(self.context, function.0, name.as_ptr()) })
    }

    /// Continues at the end of a block.
    pub fn at_end(&self, of: Block<'m>) {
        // SAFETY: a live block.
        unsafe { LLVMPositionBuilderAtEnd(self.raw, of.0) }
    }

    /// Continues before a block's first instruction.
    pub fn at_start(&self, of: Block<'m>) {
        // SAFETY: a live block; its first instruction is null if it has none.
        unsafe { LLVMPositionBuilder(self.raw, of.0, LLVMGetFirstInstruction(of.0)) }
    }

    /// Continues before an instruction.
    pub fn before(&self, inst: Value<'m>) {
        // SAFETY: a live instruction in a block.
        unsafe { LLVMPositionBuilderBefore(self.raw, inst.0) }
    }

    /// The block that grows.
    pub fn current(&self) -> Block<'m> {
        // SAFETY: a live builder that stands in a block.
        block(unsafe { LLVMGetInsertBlock(self.raw) })
    }

    /// Repeats an instruction with the same flags and metadata; the caller sets its operands.
    pub fn repeat(&self, inst: Value<'m>) -> Value<'m> {
        // SAFETY: an instruction; the copy belongs to the block at once.
        unsafe {
            let copy = LLVMInstructionClone(inst.0);
            LLVMInsertIntoBuilder(self.raw, copy);
            val(copy)
        }
    }

    /// Two operands.
    pub fn binary(&self, op: Opcode, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: live values; the verifier checks that they fit.
        val(unsafe { LLVMBuildBinOp(self.raw, op, a.0, b.0, c"".as_ptr()) })
    }

    /// A conversion.
    pub fn cast(&self, op: Opcode, a: Value<'m>, to: Type<'m>) -> Value<'m> {
        // SAFETY: a live value; the verifier checks that it fits.
        val(unsafe { LLVMBuildCast(self.raw, op, a.0, to.0, c"".as_ptr()) })
    }

    /// A comparison of integers or pointers.
    pub fn icmp(&self, predicate: IntPredicate, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: live values; the verifier checks that they fit.
        val(unsafe { LLVMBuildICmp(self.raw, predicate, a.0, b.0, c"".as_ptr()) })
    }

    /// A comparison of numbers.
    pub fn fcmp(&self, predicate: RealPredicate, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: live values; the verifier checks that they fit.
        val(unsafe { LLVMBuildFCmp(self.raw, predicate, a.0, b.0, c"".as_ptr()) })
    }

    /// A comparison of numbers, as `like` does it.
    pub fn fcmp_like(&self, like: Value<'m>, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: live values, `like` such a comparison; the verifier checks that they fit.
        val(unsafe {
            LLVMBuildFCmp(
                self.raw,
                LLVMGetFCmpPredicate(like.0),
                a.0,
                b.0,
                c"".as_ptr(),
            )
        })
    }

    /// One of two values.
    pub fn select(&self, condition: Value<'m>, yes: Value<'m>, no: Value<'m>) -> Value<'m> {
        // SAFETY: live values; the verifier checks that they fit.
        val(unsafe { LLVMBuildSelect(self.raw, condition.0, yes.0, no.0, c"".as_ptr()) })
    }

    /// A sign change.
    pub fn fneg(&self, a: Value<'m>) -> Value<'m> {
        // SAFETY: a live value.
        val(unsafe { LLVMBuildFNeg(self.raw, a.0, c"".as_ptr()) })
    }

    /// Makes something definite of poison.
    pub fn freeze(&self, a: Value<'m>) -> Value<'m> {
        // SAFETY: a live value.
        val(unsafe { LLVMBuildFreeze(self.raw, a.0, c"".as_ptr()) })
    }

    /// Gives `to` the flags of `from`, where both can have them.
    pub fn copy_flags(&self, from: Value<'m>, to: Value<'m>) {
        if !to.is_instruction() || to.opcode() != from.opcode() {
            return;
        }
        // SAFETY: both are instructions of one opcode, and flags are set of opcodes that have them.
        unsafe {
            if LLVMCanValueUseFastMathFlags(from.0) != 0 {
                LLVMSetFastMathFlags(to.0, LLVMGetFastMathFlags(from.0));
            }
            match from.opcode() {
                Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl => {
                    LLVMSetNSW(to.0, LLVMGetNSW(from.0));
                    LLVMSetNUW(to.0, LLVMGetNUW(from.0));
                }
                Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMLShr | Opcode::LLVMAShr => {
                    LLVMSetExact(to.0, LLVMGetExact(from.0));
                }
                Opcode::LLVMZExt | Opcode::LLVMUIToFP => {
                    LLVMSetNNeg(to.0, LLVMGetNNeg(from.0));
                }
                Opcode::LLVMOr => LLVMSetIsDisjoint(to.0, LLVMGetIsDisjoint(from.0)),
                _ => {}
            }
        }
    }

    /// An element's address. `flags` has the promises of the `getelementptr` to take over.
    pub fn gep(
        &self,
        of: Type<'m>,
        base: Value<'m>,
        indices: &[Value<'m>],
        flags: Option<Value<'m>>,
    ) -> Value<'m> {
        let mut indices: Vec<LLVMValueRef> = indices.iter().map(|i| i.0).collect();
        let count = u32::try_from(indices.len()).unwrap_or(0);
        // SAFETY: live values, as many as said; `flags` is such an instruction.
        val(unsafe {
            let flags = flags.map_or(0, |from| LLVMGEPGetNoWrapFlags(from.0));
            LLVMBuildGEPWithNoWrapFlags(
                self.raw,
                of.0,
                base.0,
                indices.as_mut_ptr(),
                count,
                c"".as_ptr(),
                flags,
            )
        })
    }

    /// The address `bytes` behind `base`.
    pub fn ptr_add(&self, base: Value<'m>, bytes: Value<'m>) -> Value<'m> {
        self.gep(self.int_type(8), base, &[bytes], None)
    }

    /// Memory of the function, made where the builder stands.
    pub fn alloca(&self, of: Type<'m>, align: u32) -> Value<'m> {
        // SAFETY: a sized type, and the `alloca` just made.
        unsafe {
            let made = LLVMBuildAlloca(self.raw, of.0, c"".as_ptr());
            LLVMSetAlignment(made, align);
            val(made)
        }
    }

    /// A load.
    pub fn load(&self, of: Type<'m>, from: Value<'m>, align: u32) -> Value<'m> {
        // SAFETY: live values, and the load just made.
        unsafe {
            let made = LLVMBuildLoad2(self.raw, of.0, from.0, c"".as_ptr());
            LLVMSetAlignment(made, align);
            val(made)
        }
    }

    /// A store.
    pub fn store(&self, value: Value<'m>, to: Value<'m>, align: u32) -> Value<'m> {
        // SAFETY: live values, and the store just made.
        unsafe {
            let made = LLVMBuildStore(self.raw, value.0, to.0);
            LLVMSetAlignment(made, align);
            val(made)
        }
    }

    /// A phi without incoming values.
    pub fn phi(&self, of: Type<'m>) -> Value<'m> {
        // SAFETY: a live type.
        val(unsafe { LLVMBuildPhi(self.raw, of.0, c"".as_ptr()) })
    }

    /// A jump.
    pub fn br(&self, to: Block<'m>) {
        // SAFETY: a live block.
        unsafe {
            LLVMBuildBr(self.raw, to.0);
        }
    }

    /// A branch.
    pub fn cond_br(&self, condition: Value<'m>, yes: Block<'m>, no: Block<'m>) {
        // SAFETY: live blocks and a live value.
        unsafe {
            LLVMBuildCondBr(self.raw, condition.0, yes.0, no.0);
        }
    }

    /// The end of a function without result.
    pub fn ret_void(&self) {
        // SAFETY: the builder stands in a block.
        unsafe {
            LLVMBuildRetVoid(self.raw);
        }
    }

    /// One element of a vector.
    pub fn extract_element(&self, vector: Value<'m>, index: Value<'m>) -> Value<'m> {
        // SAFETY: live values.
        val(unsafe { LLVMBuildExtractElement(self.raw, vector.0, index.0, c"".as_ptr()) })
    }

    /// A vector with one element replaced.
    pub fn insert_element(
        &self,
        vector: Value<'m>,
        element: Value<'m>,
        index: Value<'m>,
    ) -> Value<'m> {
        // SAFETY: live values.
        val(unsafe { LLVMBuildInsertElement(self.raw, vector.0, element.0, index.0, c"".as_ptr()) })
    }

    /// Elements of two vectors of one type, by number.
    pub fn shuffle(&self, a: Value<'m>, b: Value<'m>, elements: &[u32]) -> Value<'m> {
        let index = self.int_type(32);
        let elements: Vec<Value<'m>> = elements.iter().map(|e| index.int(i64::from(*e))).collect();
        let mask = self.constant_vector(&elements);
        // SAFETY: live values.
        val(unsafe { LLVMBuildShuffleVector(self.raw, a.0, b.0, mask.0, c"".as_ptr()) })
    }

    /// A constant vector.
    pub fn constant_vector(&self, elements: &[Value<'m>]) -> Value<'m> {
        let mut raw: Vec<LLVMValueRef> = elements.iter().map(|e| e.0).collect();
        let count = u32::try_from(raw.len()).unwrap_or(0);
        // SAFETY: constants of one type, as many as said.
        val(unsafe { LLVMConstVector(raw.as_mut_ptr(), count) })
    }

    /// A vector of one scalar.
    pub fn splat(&self, scalar: Value<'m>, lanes: u32) -> Value<'m> {
        if scalar.is_constant() && scalar.constant_int().is_some() {
            return self.constant_vector(&vec![scalar; lanes as usize]);
        }
        let vector = scalar.ty().vector(lanes);
        let zero = self.int_type(64).int(0);
        let first = self.insert_element(vector.poison(), scalar, zero);
        self.shuffle(first, vector.poison(), &vec![0; lanes as usize])
    }

    /// A member of a structure.
    pub fn extract_value(&self, from: Value<'m>, index: u32) -> Value<'m> {
        // SAFETY: live values.
        val(unsafe { LLVMBuildExtractValue(self.raw, from.0, index, c"".as_ptr()) })
    }
}
