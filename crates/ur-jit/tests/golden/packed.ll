target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t5 = alloca [7 x i8], i64 1, align 1
  %t1 = getelementptr i8, ptr %p2, i64 8
  %t2 = load ptr, ptr %t1, align 8, !invariant.load !0
  %t3 = getelementptr i8, ptr %p2, i64 16
  %t4 = load ptr, ptr %t3, align 8, !invariant.load !0
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %t5, ptr align 1 %p2, i64 7, i1 false)
  br label %b.2
exit.1:
  ret void
b.2:
  call void @f64.packed(ptr %p0, ptr %p1, ptr %t5, ptr %t2, ptr %t4)
  br label %exit.1
}

define internal void @f64.packed(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4) nounwind alwaysinline {
entry:
  %t1 = alloca [7 x i8], i64 1, align 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %t1, ptr align 1 %p2, i64 7, i1 false)
  br label %b.2
exit.1:
  ret void
b.2:
  %t2 = getelementptr i8, ptr %p1, i64 96
  %t3 = load i64, ptr %t2, align 8
  %t4 = getelementptr i8, ptr %p0, i64 16
  %t5 = load i64, ptr %t4, align 8
  %t6 = add i64 %t3, %t5
  %t7 = getelementptr i8, ptr %p1, i64 104
  %t8 = load i64, ptr %t7, align 8
  %t9 = getelementptr i8, ptr %p0, i64 24
  %t10 = load i64, ptr %t9, align 8
  %t11 = add i64 %t8, %t10
  %t12 = getelementptr i8, ptr %p1, i64 112
  %t13 = load i64, ptr %t12, align 8
  %t14 = getelementptr i8, ptr %p0, i64 32
  %t15 = load i64, ptr %t14, align 8
  %t16 = add i64 %t13, %t15
  %t17 = insertelement <3 x i64> poison, i64 %t6, i32 0
  %t18 = insertelement <3 x i64> %t17, i64 %t11, i32 1
  %t19 = insertelement <3 x i64> %t18, i64 %t16, i32 2
  %t20 = extractelement <3 x i64> %t19, i32 0
  %t21 = load i8, ptr %t1, align 1
  %t22 = sext i8 %t21 to i32
  %t23 = mul i32 %t22, 10000
  %t24 = getelementptr inbounds i8, ptr %t1, i64 1
  %t25 = load i32, ptr %t24, align 1
  %t26 = mul i32 %t25, 100
  %t27 = add i32 %t23, %t26
  %t28 = getelementptr inbounds i8, ptr %t1, i64 5
  %t29 = load i16, ptr %t28, align 1
  %t30 = sext i16 %t29 to i32
  %t31 = add i32 %t27, %t30
  %t32 = getelementptr inbounds i32, ptr %p3, i64 %t20
  store i32 %t31, ptr %t32, align 4
  %t33 = getelementptr inbounds [7 x i8], ptr %p4, i64 %t20
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %t33, ptr align 1 %t1, i64 7, i1 false)
  br label %exit.1
}

!0 = !{}
