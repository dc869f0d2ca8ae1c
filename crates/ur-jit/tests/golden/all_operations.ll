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
  %t1 = getelementptr i8, ptr %p0, i64 32
  %t2 = load i64, ptr %t1, align 8
  %t3 = getelementptr i8, ptr %p0, i64 40
  %t4 = load i64, ptr %t3, align 8
  %t5 = getelementptr i8, ptr %p0, i64 48
  %t6 = load i64, ptr %t5, align 8
  %t7 = insertelement <3 x i64> poison, i64 %t2, i32 0
  %t8 = insertelement <3 x i64> %t7, i64 %t4, i32 1
  %t9 = insertelement <3 x i64> %t8, i64 %t6, i32 2
  %t10 = extractelement <3 x i64> %t9, i32 0
  %t11 = trunc i64 %t10 to i32
  %t12 = atomicrmw add ptr %p2, i32 %t11 monotonic, align 4
  %t13 = getelementptr inbounds i8, ptr %p2, i64 4
  %t14 = atomicrmw sub ptr %t13, i32 %t11 monotonic, align 4
  %t15 = getelementptr inbounds i8, ptr %p2, i64 8
  %t16 = sub i32 0, %t11
  %t17 = atomicrmw min ptr %t15, i32 %t16 monotonic, align 4
  %t18 = getelementptr inbounds i8, ptr %p2, i64 12
  %t19 = atomicrmw max ptr %t18, i32 %t11 monotonic, align 4
  %t20 = getelementptr inbounds i8, ptr %p2, i64 16
  %t21 = and i32 %t11, 31
  %t22 = and i32 %t21, 31
  %t23 = shl i32 1, %t22
  %t24 = atomicrmw or ptr %t20, i32 %t23 monotonic, align 4
  %t25 = getelementptr inbounds i8, ptr %p2, i64 20
  %t26 = atomicrmw xor ptr %t25, i32 %t11 monotonic, align 4
  %t27 = getelementptr inbounds i8, ptr %p2, i64 24
  %t28 = xor i32 %t23, -1
  %t29 = atomicrmw and ptr %t27, i32 %t28 monotonic, align 4
  %t30 = getelementptr inbounds i8, ptr %p2, i64 28
  %t31 = atomicrmw sub ptr %t30, i32 1 monotonic, align 4
  %t32 = xor i32 %t11, -1
  %t33 = atomicrmw umin ptr %p3, i32 %t32 monotonic, align 4
  %t34 = getelementptr inbounds i8, ptr %p3, i64 4
  %t35 = xor i32 %t11, -2147483648
  %t36 = atomicrmw umax ptr %t34, i32 %t35 monotonic, align 4
  %t37 = shl i64 %t10, 32
  %t38 = atomicrmw add ptr %p4, i64 %t37 monotonic, align 8
  br label %exit.1
}

!0 = !{}
