//! One function under construction.

use super::value::join;
use super::{Linkage, ModuleBuilder, Type, Value, quote};
use std::fmt::{self, Write};

/// A basic block of the function that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(usize);

/// A φ-node whose incoming values are filled in later.
#[derive(Clone, Debug)]
pub struct Phi {
    /// The value it gives.
    pub value: Value,
    block: Block,
    index: usize,
}

/// Freedoms that floating-point instructions may take; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FastMath {
    /// Operands and results are not NaN.
    pub nnan: bool,
    /// Operands and results are not infinite.
    pub ninf: bool,
    /// The sign of a zero does not matter.
    pub nsz: bool,
    /// A reciprocal may stand for a division.
    pub arcp: bool,
    /// A multiplication and an addition may become one operation.
    pub contract: bool,
    /// Approximate functions may be used.
    pub afn: bool,
    /// The order of operations may change.
    pub reassoc: bool,
}

impl fmt::Display for FastMath {
    /// Every flag with a space behind it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [
            (self.nnan, "nnan "),
            (self.ninf, "ninf "),
            (self.nsz, "nsz "),
            (self.arcp, "arcp "),
            (self.contract, "contract "),
            (self.afn, "afn "),
            (self.reassoc, "reassoc "),
        ];
        flags
            .iter()
            .filter(|(set, _)| *set)
            .try_for_each(|(_, text)| f.write_str(text))
    }
}

#[derive(Debug)]
struct BlockData {
    label: String,
    phis: Vec<PhiData>,
    lines: Vec<String>,
    terminated: bool,
}

#[derive(Debug)]
struct PhiData {
    value: Value,
    incoming: Vec<(Value, Block)>,
}

/// Builds one function of a module. Instructions go to the end of the current block, which is the
/// entry block at first. An instruction behind a terminator goes to a new block nobody reaches.
#[derive(Debug)]
pub struct FunctionBuilder {
    /// The module the function goes to.
    pub module: ModuleBuilder,
    /// Flags for the floating-point arithmetic that the typed helpers emit from now on.
    pub fast_math: FastMath,
    name: String,
    result: Type,
    params: Vec<(Value, String)>,
    linkage: Linkage,
    attributes: Vec<String>,
    /// Instructions that have to stand before all others of the entry block.
    allocas: Vec<String>,
    blocks: Vec<BlockData>,
    current: Block,
    next: usize,
}

impl FunctionBuilder {
    /// A function `name` with these parameter types; it has an entry block.
    pub fn new(
        module: &ModuleBuilder,
        name: &str,
        linkage: Linkage,
        result: &Type,
        params: &[Type],
    ) -> FunctionBuilder {
        let params = params
            .iter()
            .enumerate()
            .map(|(i, ty)| (Value::new(ty, format!("%p{i}")), String::new()))
            .collect();
        let mut fb = FunctionBuilder {
            module: module.clone(),
            fast_math: FastMath::default(),
            name: name.to_string(),
            result: result.clone(),
            params,
            linkage,
            attributes: Vec::new(),
            allocas: Vec::new(),
            blocks: Vec::new(),
            current: Block(0),
            next: 0,
        };
        fb.block("entry");
        fb
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The function's result type.
    pub fn result(&self) -> &Type {
        &self.result
    }

    /// Parameter `index`.
    pub fn param(&self, index: usize) -> Value {
        self.params[index].0.clone()
    }

    /// Number of parameters.
    pub fn param_count(&self) -> usize {
        self.params.len()
    }

    /// Adds attributes (`noalias`, `byval(%s)`) to parameter `index`.
    pub fn param_attributes(&mut self, index: usize, text: &str) {
        let attributes = &mut self.params[index].1;
        attributes.push_str(text);
        attributes.push(' ');
    }

    /// Adds an attribute or group behind the parameter list.
    pub fn attribute(&mut self, text: &str) {
        self.attributes.push(text.to_string());
    }

    // ---- blocks ----

    /// A new block; `hint` becomes part of its label.
    pub fn block(&mut self, hint: &str) -> Block {
        let label = if self.blocks.is_empty() {
            hint.to_string()
        } else {
            format!("{hint}.{}", self.blocks.len())
        };
        self.blocks.push(BlockData {
            label,
            phis: Vec::new(),
            lines: Vec::new(),
            terminated: false,
        });
        Block(self.blocks.len() - 1)
    }

    /// The entry block.
    pub fn entry(&self) -> Block {
        Block(0)
    }

    /// The block that instructions go to.
    pub fn current(&self) -> Block {
        self.current
    }

    /// Makes `block` the current one.
    pub fn switch_to(&mut self, block: Block) {
        self.current = block;
    }

    /// Whether the current block has its terminator.
    pub fn is_terminated(&self) -> bool {
        self.blocks[self.current.0].terminated
    }

    /// A block as an operand: `label %name`.
    pub fn label(&self, block: Block) -> String {
        format!("label %{}", quote(&self.blocks[block.0].label))
    }

    // ---- raw instructions ----

    /// A name for a value that no other value of the function has, with its `%`.
    pub fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%t{}", self.next)
    }

    /// Emits a line as it is.
    pub fn line(&mut self, text: impl Into<String>) {
        if self.is_terminated() {
            let dead = self.block("dead");
            self.switch_to(dead);
        }
        self.blocks[self.current.0].lines.push(text.into());
    }

    /// Emits an instruction that gives a value of type `ty` (none if that is void).
    pub fn inst(&mut self, ty: &Type, text: impl AsRef<str>) -> Value {
        if *ty == Type::Void {
            self.line(text.as_ref());
            return Value::new(ty, "");
        }
        let name = self.fresh();
        self.line(format!("{name} = {}", text.as_ref()));
        Value::new(ty, name)
    }

    // ---- arithmetic ----

    /// `op` of two operands of one type, which is also the result's: `add`, `fmul`, `lshr exact`.
    /// Floating-point operations take [`Self::fast_math`].
    pub fn binary(&mut self, op: &str, a: &Value, b: &Value) -> Value {
        let flags = self.flags_for(op);
        self.inst(&a.ty, format!("{op} {flags}{a}, {}", b.text))
    }

    /// The negation of a floating-point value.
    pub fn fneg(&mut self, a: &Value) -> Value {
        let flags = self.fast_math;
        self.inst(&a.ty, format!("fneg {flags}{a}"))
    }

    /// The two's complement negation.
    pub fn neg(&mut self, a: &Value) -> Value {
        self.binary("sub", &Value::zero(&a.ty), a)
    }

    /// All bits inverted.
    pub fn not(&mut self, a: &Value) -> Value {
        self.binary("xor", a, &Value::int(&a.ty, -1))
    }

    /// Integer or pointer comparison (`eq`, `slt`, `uge`…): a condition for each lane.
    pub fn icmp(&mut self, predicate: &str, a: &Value, b: &Value) -> Value {
        self.inst(
            &a.ty.condition(),
            format!("icmp {predicate} {a}, {}", b.text),
        )
    }

    /// Floating-point comparison (`oeq`, `ult`, `uno`…): a condition for each lane.
    pub fn fcmp(&mut self, predicate: &str, a: &Value, b: &Value) -> Value {
        let flags = self.fast_math;
        self.inst(
            &a.ty.condition(),
            format!("fcmp {flags}{predicate} {a}, {}", b.text),
        )
    }

    /// `op` (`zext`, `fptosi`, `bitcast`…) of `a` to type `to`; `a` itself if it has that type.
    pub fn cast(&mut self, op: &str, a: &Value, to: &Type) -> Value {
        if a.ty == *to {
            return a.clone();
        }
        self.inst(to, format!("{op} {a} to {to}"))
    }

    /// The same bits as another type of the same size.
    pub fn bitcast(&mut self, a: &Value, to: &Type) -> Value {
        self.cast("bitcast", a, to)
    }

    /// An integer made as wide as `to`: truncated, or extended by sign or zeros.
    pub fn int_cast(&mut self, a: &Value, to: &Type, signed: bool) -> Value {
        let op = match a.ty.scalar_bits().cmp(&to.scalar_bits()) {
            std::cmp::Ordering::Greater => "trunc",
            std::cmp::Ordering::Equal => return a.clone(),
            std::cmp::Ordering::Less if signed => "sext",
            std::cmp::Ordering::Less => "zext",
        };
        self.cast(op, a, to)
    }

    /// A floating-point value rounded or widened to `to`.
    pub fn float_cast(&mut self, a: &Value, to: &Type) -> Value {
        let op = match a.ty.scalar_bits().cmp(&to.scalar_bits()) {
            std::cmp::Ordering::Greater => "fptrunc",
            std::cmp::Ordering::Equal => return a.clone(),
            std::cmp::Ordering::Less => "fpext",
        };
        self.cast(op, a, to)
    }

    /// `yes` where `condition` holds, else `no`.
    pub fn select(&mut self, condition: &Value, yes: &Value, no: &Value) -> Value {
        self.inst(&yes.ty, format!("select {condition}, {yes}, {no}"))
    }

    /// A value that is one fixed value even if `a` is undefined.
    pub fn freeze(&mut self, a: &Value) -> Value {
        self.inst(&a.ty, format!("freeze {a}"))
    }

    fn flags_for(&self, op: &str) -> String {
        if matches!(op, "fadd" | "fsub" | "fmul" | "fdiv" | "frem") {
            self.fast_math.to_string()
        } else {
            String::new()
        }
    }

    // ---- vectors and aggregates ----

    /// Lane `index` of a vector.
    pub fn extract_element(&mut self, vector: &Value, index: &Value) -> Value {
        self.inst(
            &vector.ty.scalar(),
            format!("extractelement {vector}, {index}"),
        )
    }

    /// Lane `index` of a vector, or a scalar itself.
    pub fn lane(&mut self, value: &Value, index: u32) -> Value {
        if value.ty.is_vector() {
            self.extract_element(value, &Value::i32(index as i32))
        } else {
            value.clone()
        }
    }

    /// `vector` with lane `index` replaced.
    pub fn insert_element(&mut self, vector: &Value, element: &Value, index: &Value) -> Value {
        self.inst(
            &vector.ty,
            format!("insertelement {vector}, {element}, {index}"),
        )
    }

    /// A value of type `ty` of these lanes: a vector, or for a scalar type the one value.
    pub fn from_lanes(&mut self, ty: &Type, lanes: &[Value]) -> Value {
        if !ty.is_vector() {
            return lanes[0].clone();
        }
        let mut vector = Value::poison(ty);
        for (i, lane) in lanes.iter().enumerate() {
            vector = self.insert_element(&vector, lane, &Value::i32(i as i32));
        }
        vector
    }

    /// `scalar` in every lane of `ty` if that is a vector, else itself.
    pub fn splat(&mut self, ty: &Type, scalar: &Value) -> Value {
        let Type::Vector(_, n) = ty else {
            return scalar.clone();
        };
        if scalar.is_constant() {
            return scalar.clone().splat_constant(ty);
        }
        let first = self.insert_element(&Value::poison(ty), scalar, &Value::i32(0));
        self.shuffle(&first, &Value::poison(ty), &vec![Some(0); *n as usize])
    }

    /// Lanes of `a` (0…) and `b` (counting on) by number; `None` where it does not matter.
    pub fn shuffle(&mut self, a: &Value, b: &Value, lanes: &[Option<u32>]) -> Value {
        let mask: Vec<Value> = lanes
            .iter()
            .map(|lane| match lane {
                Some(n) => Value::i32(*n as i32),
                None => Value::poison(&Type::I32),
            })
            .collect();
        let ty = Type::vector(&a.ty.scalar(), lanes.len() as u32);
        self.inst(
            &ty,
            format!("shufflevector {a}, {b}, {}", Value::vector(&mask)),
        )
    }

    /// The member of an aggregate at `path`; poison if there is no such member.
    pub fn extract_value(&mut self, aggregate: &Value, path: &[u32]) -> Value {
        let ty = path
            .iter()
            .try_fold(aggregate.ty.clone(), |ty, i| ty.member(u64::from(*i)));
        match ty {
            Some(ty) => self.inst(&ty, format!("extractvalue {aggregate}{}", indices(path))),
            None => Value::poison(&Type::I8),
        }
    }

    /// `aggregate` with the member at `path` replaced.
    pub fn insert_value(&mut self, aggregate: &Value, member: &Value, path: &[u32]) -> Value {
        self.inst(
            &aggregate.ty,
            format!("insertvalue {aggregate}, {member}{}", indices(path)),
        )
    }

    // ---- memory ----

    /// Private memory for `count` values, in the entry block: allocated once for each call.
    pub fn alloca(&mut self, ty: &Type, count: u64, align: u64) -> Value {
        let name = self.fresh();
        self.allocas
            .push(format!("{name} = alloca {ty}, i64 {count}, align {align}"));
        Value::new(&Type::PTR, name)
    }

    /// Loads a `ty` with the given alignment in bytes.
    pub fn load(&mut self, ty: &Type, ptr: &Value, align: u64) -> Value {
        self.inst(ty, format!("load {ty}, {ptr}, align {align}"))
    }

    /// Stores `value` with the given alignment in bytes.
    pub fn store(&mut self, value: &Value, ptr: &Value, align: u64) {
        self.line(format!("store {value}, {ptr}, align {align}"));
    }

    /// As [`Self::load`], volatile.
    pub fn load_volatile(&mut self, ty: &Type, ptr: &Value, align: u64) -> Value {
        self.inst(ty, format!("load volatile {ty}, {ptr}, align {align}"))
    }

    /// As [`Self::store`], volatile.
    pub fn store_volatile(&mut self, value: &Value, ptr: &Value, align: u64) {
        self.line(format!("store volatile {value}, {ptr}, align {align}"));
    }

    /// `ptr` plus a number of bytes (an integer of any width, sign-extended by LLVM).
    pub fn ptr_add(&mut self, ptr: &Value, bytes: &Value) -> Value {
        if &*bytes.text == "0" {
            return ptr.clone();
        }
        self.inst(&ptr.ty, format!("getelementptr i8, {ptr}, {bytes}"))
    }

    /// `ptr` plus `index` elements of type `element`.
    pub fn gep(&mut self, element: &Type, ptr: &Value, index: &Value) -> Value {
        self.inst(&ptr.ty, format!("getelementptr {element}, {ptr}, {index}"))
    }

    // ---- calls ----

    /// Calls the function `name`, declared with the types of this call if nobody declared or defined
    /// it before.
    pub fn call(&mut self, name: &str, result: &Type, args: &[Value]) -> Value {
        self.call_attributes(name, result, args, "")
    }

    /// As [`Self::call`]; a new declaration gets `attributes`.
    pub fn call_attributes(
        &mut self,
        name: &str,
        result: &Type,
        args: &[Value],
        attributes: &str,
    ) -> Value {
        if name != self.name {
            let params: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
            self.module.declare(name, result, &params, attributes);
        }
        self.call_pointer(&Value::global(name), result, args)
    }

    /// Calls through a pointer.
    pub fn call_pointer(&mut self, callee: &Value, result: &Type, args: &[Value]) -> Value {
        self.inst(
            result,
            format!("call {result} {}({})", callee.text, join(args)),
        )
    }

    /// Calls the intrinsic `llvm.name` overloaded on `overloads`.
    pub fn intrinsic(
        &mut self,
        name: &str,
        overloads: &[&Type],
        result: &Type,
        args: &[Value],
    ) -> Value {
        let mut full = format!("llvm.{name}");
        for ty in overloads {
            let _ = write!(full, ".{}", ty.mangled());
        }
        self.call(&full, result, args)
    }

    /// Calls an intrinsic overloaded on its first argument's type, which is also the result's.
    pub fn intrinsic_same(&mut self, name: &str, args: &[Value]) -> Value {
        let ty = args[0].ty.clone();
        self.intrinsic(name, &[&ty], &ty, args)
    }

    // ---- control ----

    /// A φ-node of type `ty` at the head of the current block.
    pub fn phi(&mut self, ty: &Type) -> Phi {
        let value = Value::new(ty, self.fresh());
        let block = self.current;
        let phis = &mut self.blocks[block.0].phis;
        phis.push(PhiData {
            value: value.clone(),
            incoming: Vec::new(),
        });
        Phi {
            value,
            block,
            index: phis.len() - 1,
        }
    }

    /// The value `phi` has when control comes from `from`.
    pub fn add_incoming(&mut self, phi: &Phi, value: &Value, from: Block) {
        self.blocks[phi.block.0].phis[phi.index]
            .incoming
            .push((value.clone(), from));
    }

    /// Goes on at `to`.
    pub fn br(&mut self, to: Block) {
        let text = format!("br {}", self.label(to));
        self.terminate(text);
    }

    /// Goes on at `yes` if `condition` holds, else at `no`.
    pub fn cond_br(&mut self, condition: &Value, yes: Block, no: Block) {
        let text = format!("br {condition}, {}, {}", self.label(yes), self.label(no));
        self.terminate(text);
    }

    /// Goes on at the block paired with `value`, or at `default`.
    pub fn switch(&mut self, value: &Value, default: Block, cases: &[(Value, Block)]) {
        let mut text = format!("switch {value}, {} [", self.label(default));
        for (case, block) in cases {
            let _ = write!(text, " {case}, {}", self.label(*block));
        }
        text.push_str(" ]");
        self.terminate(text);
    }

    /// Returns `value`, or nothing.
    pub fn ret(&mut self, value: Option<&Value>) {
        let text = match value {
            Some(v) if v.ty != Type::Void => format!("ret {v}"),
            _ => "ret void".to_string(),
        };
        self.terminate(text);
    }

    /// Says that control never gets here.
    pub fn unreachable(&mut self) {
        self.terminate("unreachable".to_string());
    }

    /// Emits a terminator as it is.
    pub fn terminate(&mut self, text: String) {
        self.line(text);
        self.blocks[self.current.0].terminated = true;
    }

    /// Runs `body` for an index from 0 up to `count` (an integer, unsigned) and leaves the builder
    /// behind the loop. `body` gets the index.
    pub fn for_each(&mut self, count: &Value, body: impl FnOnce(&mut FunctionBuilder, &Value)) {
        let (head, inner, done) = (self.block("head"), self.block("body"), self.block("done"));
        let before = self.current_open();
        self.br(head);
        self.switch_to(head);
        let index = self.phi(&count.ty);
        self.add_incoming(&index, &Value::zero(&count.ty), before);
        let more = self.icmp("ult", &index.value, count);
        self.cond_br(&more, inner, done);
        self.switch_to(inner);
        body(self, &index.value);
        let next = self.binary("add", &index.value, &Value::int(&count.ty, 1));
        let latch = self.current;
        self.br(head);
        self.add_incoming(&index, &next, latch);
        self.switch_to(done);
    }

    /// The current block, or a new one if that has its terminator.
    fn current_open(&mut self) -> Block {
        if self.is_terminated() {
            let dead = self.block("dead");
            self.switch_to(dead);
        }
        self.current
    }

    /// Renders the function and adds it to the module; its address. A block without terminator ends
    /// in `unreachable`.
    pub fn finish(self) -> Value {
        let mut text = String::new();
        let params: Vec<String> = self
            .params
            .iter()
            .map(|(v, attributes)| format!("{} {attributes}{}", v.ty, v.text))
            .collect();
        let _ = write!(
            text,
            "define {}{} @{}({})",
            self.linkage.text(),
            self.result,
            quote(&self.name),
            params.join(", ")
        );
        for attribute in &self.attributes {
            text.push(' ');
            text.push_str(attribute);
        }
        let common = self.module.function_attributes();
        if !common.is_empty() {
            text.push(' ');
            text.push_str(&common);
        }
        text.push_str(" {\n");
        for (i, block) in self.blocks.iter().enumerate() {
            let _ = writeln!(text, "{}:", quote(&block.label));
            for phi in &block.phis {
                let _ = write!(text, "  {} = phi {}", phi.value.text, phi.value.ty);
                for (n, (value, from)) in phi.incoming.iter().enumerate() {
                    let comma = if n == 0 { "" } else { "," };
                    let label = quote(&self.blocks[from.0].label);
                    let _ = write!(text, "{comma} [ {}, %{label} ]", value.text);
                }
                text.push('\n');
            }
            let allocas: &[String] = if i == 0 { &self.allocas } else { &[] };
            for line in allocas.iter().chain(&block.lines) {
                let _ = writeln!(text, "  {line}");
            }
            if !block.terminated {
                text.push_str("  unreachable\n");
            }
        }
        text.push_str("}\n");
        self.module.define(&self.name, self.linkage, text);
        Value::global(&self.name)
    }
}

/// Constant indices behind an aggregate operand.
fn indices(path: &[u32]) -> String {
    path.iter().map(|i| format!(", {i}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_with_a_phi() {
        let m = ModuleBuilder::new();
        let mut fb = FunctionBuilder::new(&m, "sum", Linkage::External, &Type::I32, &[Type::I32]);
        let count = fb.param(0);
        let sum = fb.alloca(&Type::I32, 1, 4);
        fb.store(&Value::i32(0), &sum, 4);
        fb.for_each(&count, |fb, i| {
            let old = fb.load(&Type::I32, &sum, 4);
            let new = fb.binary("add", &old, i);
            fb.store(&new, &sum, 4);
        });
        let result = fb.load(&Type::I32, &sum, 4);
        fb.ret(Some(&result));
        fb.finish();
        let expected = "\ndefine i32 @sum(i32 %p0) {
entry:
  %t1 = alloca i32, i64 1, align 4
  store i32 0, ptr %t1, align 4
  br label %head.1
head.1:
  %t2 = phi i32 [ 0, %entry ], [ %t6, %body.2 ]
  %t3 = icmp ult i32 %t2, %p0
  br i1 %t3, label %body.2, label %done.3
body.2:
  %t4 = load i32, ptr %t1, align 4
  %t5 = add i32 %t4, %t2
  store i32 %t5, ptr %t1, align 4
  %t6 = add i32 %t2, 1
  br label %head.1
done.3:
  %t7 = load i32, ptr %t1, align 4
  ret i32 %t7
}

";
        assert_eq!(m.render(), expected);
    }

    #[test]
    fn calls_declare_their_callee_once() {
        let m = ModuleBuilder::new();
        let v4 = Type::vector(&Type::Float, 4);
        let mut fb =
            FunctionBuilder::new(&m, "f", Linkage::Internal, &v4, std::slice::from_ref(&v4));
        fb.attribute("nounwind");
        fb.param_attributes(0, "noundef");
        let x = fb.param(0);
        let a = fb.intrinsic_same("fabs", &[x]);
        let b = fb.intrinsic_same("fabs", &[a]);
        fb.fast_math.contract = true;
        let c = fb.binary("fmul", &b, &b);
        fb.ret(Some(&c));
        fb.finish();
        let text = m.render();
        assert_eq!(text.matches("declare").count(), 1);
        assert!(text.contains("declare <4 x float> @llvm.fabs.v4f32(<4 x float>)"));
        assert!(
            text.contains("define internal <4 x float> @f(<4 x float> noundef %p0) nounwind {")
        );
        assert!(text.contains("fmul contract <4 x float> %t2, %t2"));
    }

    #[test]
    fn code_behind_a_terminator_is_kept_apart() {
        let m = ModuleBuilder::new();
        let mut fb = FunctionBuilder::new(&m, "f", Linkage::External, &Type::Void, &[]);
        fb.ret(None);
        fb.binary("add", &Value::i32(1), &Value::i32(2));
        fb.finish();
        assert!(
            m.render()
                .contains("entry:\n  ret void\ndead.1:\n  %t1 = add i32 1, 2\n  unreachable\n}")
        );
    }

    #[test]
    fn splats_and_casts() {
        let m = ModuleBuilder::new();
        let v2 = Type::vector(&Type::I32, 2);
        let mut fb = FunctionBuilder::new(&m, "f", Linkage::External, &v2, &[Type::I32]);
        let x = fb.param(0);
        assert_eq!(fb.int_cast(&x, &Type::I32, true), x);
        assert_eq!(&*fb.splat(&v2, &Value::i32(7)).text, "<i32 7, i32 7>");
        let s = fb.splat(&v2, &x);
        fb.ret(Some(&s));
        fb.finish();
        assert!(
            m.render().contains(
                "shufflevector <2 x i32> %t1, <2 x i32> poison, <2 x i32> <i32 0, i32 0>"
            )
        );
    }
}
