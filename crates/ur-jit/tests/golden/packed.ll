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
  %t2 = getelementptr i8, ptr %p0, i64 32
  %t3 = load i64, ptr %t2, align 8
  %t4 = getelementptr i8, ptr %p0, i64 40
  %t5 = load i64, ptr %t4, align 8
  %t6 = getelementptr i8, ptr %p0, i64 48
  %t7 = load i64, ptr %t6, align 8
  %t8 = insertelement <3 x i64> poison, i64 %t3, i32 0
  %t9 = insertelement <3 x i64> %t8, i64 %t5, i32 1
  %t10 = insertelement <3 x i64> %t9, i64 %t7, i32 2
  %t11 = extractelement <3 x i64> %t10, i32 0
  %t12 = load i8, ptr %t1, align 1
  %t13 = sext i8 %t12 to i32
  %t14 = mul i32 %t13, 10000
  %t15 = getelementptr inbounds i8, ptr %t1, i64 1
  %t16 = load i32, ptr %t15, align 1
  %t17 = mul i32 %t16, 100
  %t18 = add i32 %t14, %t17
  %t19 = getelementptr inbounds i8, ptr %t1, i64 5
  %t20 = load i16, ptr %t19, align 1
  %t21 = sext i16 %t20 to i32
  %t22 = add i32 %t18, %t21
  %t23 = getelementptr inbounds i32, ptr %p3, i64 %t11
  store i32 %t22, ptr %t23, align 4
  %t24 = getelementptr inbounds [7 x i8], ptr %p4, i64 %t11
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %t24, ptr align 1 %t1, i64 7, i1 false)
  br label %exit.1
}

!0 = !{}
