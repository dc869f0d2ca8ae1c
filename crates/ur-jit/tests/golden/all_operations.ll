target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t1 = load ptr, ptr %p2, align 8, !invariant.load !0
  %t2 = getelementptr i8, ptr %p2, i64 8
  %t3 = load ptr, ptr %t2, align 8, !invariant.load !0
  %t4 = getelementptr i8, ptr %p2, i64 16
  %t5 = load ptr, ptr %t4, align 8, !invariant.load !0
  br label %b.2
exit.1:
  ret void
b.2:
  call void @f32.all_operations(ptr %p0, ptr %p1, ptr %t1, ptr %t3, ptr %t5)
  br label %exit.1
}

define internal void @f32.all_operations(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4) nounwind alwaysinline {
entry:
  br label %b.2
exit.1:
  ret void
b.2:
  %t1 = getelementptr i8, ptr %p1, i64 96
  %t2 = load i64, ptr %t1, align 8
  %t3 = getelementptr i8, ptr %p0, i64 16
  %t4 = load i64, ptr %t3, align 8
  %t5 = add i64 %t2, %t4
  %t6 = getelementptr i8, ptr %p1, i64 104
  %t7 = load i64, ptr %t6, align 8
  %t8 = getelementptr i8, ptr %p0, i64 24
  %t9 = load i64, ptr %t8, align 8
  %t10 = add i64 %t7, %t9
  %t11 = getelementptr i8, ptr %p1, i64 112
  %t12 = load i64, ptr %t11, align 8
  %t13 = getelementptr i8, ptr %p0, i64 32
  %t14 = load i64, ptr %t13, align 8
  %t15 = add i64 %t12, %t14
  %t16 = insertelement <3 x i64> poison, i64 %t5, i32 0
  %t17 = insertelement <3 x i64> %t16, i64 %t10, i32 1
  %t18 = insertelement <3 x i64> %t17, i64 %t15, i32 2
  %t19 = extractelement <3 x i64> %t18, i32 0
  %t20 = trunc i64 %t19 to i32
  %t21 = atomicrmw add ptr %p2, i32 %t20 monotonic, align 4
  %t22 = getelementptr inbounds i8, ptr %p2, i64 4
  %t23 = atomicrmw sub ptr %t22, i32 %t20 monotonic, align 4
  %t24 = getelementptr inbounds i8, ptr %p2, i64 8
  %t25 = sub i32 0, %t20
  %t26 = atomicrmw min ptr %t24, i32 %t25 monotonic, align 4
  %t27 = getelementptr inbounds i8, ptr %p2, i64 12
  %t28 = atomicrmw max ptr %t27, i32 %t20 monotonic, align 4
  %t29 = getelementptr inbounds i8, ptr %p2, i64 16
  %t30 = and i32 %t20, 31
  %t31 = and i32 %t30, 31
  %t32 = shl i32 1, %t31
  %t33 = atomicrmw or ptr %t29, i32 %t32 monotonic, align 4
  %t34 = getelementptr inbounds i8, ptr %p2, i64 20
  %t35 = atomicrmw xor ptr %t34, i32 %t20 monotonic, align 4
  %t36 = getelementptr inbounds i8, ptr %p2, i64 24
  %t37 = xor i32 %t32, -1
  %t38 = atomicrmw and ptr %t36, i32 %t37 monotonic, align 4
  %t39 = getelementptr inbounds i8, ptr %p2, i64 28
  %t40 = atomicrmw sub ptr %t39, i32 1 monotonic, align 4
  %t41 = xor i32 %t20, -1
  %t42 = atomicrmw umin ptr %p3, i32 %t41 monotonic, align 4
  %t43 = getelementptr inbounds i8, ptr %p3, i64 4
  %t44 = xor i32 %t20, -2147483648
  %t45 = atomicrmw umax ptr %t43, i32 %t44 monotonic, align 4
  %t46 = shl i64 %t19, 32
  %t47 = atomicrmw add ptr %p4, i64 %t46 monotonic, align 8
  br label %exit.1
}

!0 = !{}
