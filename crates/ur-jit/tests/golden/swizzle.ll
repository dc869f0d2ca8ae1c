target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t1 = load ptr, ptr %p2, align 8, !invariant.load !0
  %t2 = getelementptr i8, ptr %p2, i64 8
  %t3 = load ptr, ptr %t2, align 8, !invariant.load !0
  br label %b.2
exit.1:
  ret void
b.2:
  call void @f11.swizzle(ptr %p0, ptr %p1, ptr %t1, ptr %t3)
  br label %exit.1
}

define internal void @f11.swizzle(ptr %p0, ptr %p1, ptr %p2, ptr %p3) nounwind alwaysinline {
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
  %t20 = getelementptr inbounds [16 x i8], ptr %p2, i64 %t19
  %t21 = load <4 x float>, ptr %t20, align 16
  %t22 = shufflevector <4 x float> %t21, <4 x float> undef, <2 x i32> <i32 3, i32 2>
  %t23 = shufflevector <4 x float> %t21, <4 x float> undef, <2 x i32> <i32 0, i32 1>
  %t24 = fadd <2 x float> %t23, %t22
  %t25 = shufflevector <2 x float> %t24, <2 x float> undef, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %t26 = shufflevector <4 x float> %t25, <4 x float> %t21, <4 x i32> <i32 0, i32 1, i32 6, i32 7>
  %t27 = shufflevector <4 x float> %t26, <4 x float> undef, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %t28 = fmul <4 x float> %t26, <float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000>
  %t29 = fcmp ogt <4 x float> %t26, zeroinitializer
  %t30 = select <4 x i1> %t29, <4 x i32> <i32 -1, i32 -1, i32 -1, i32 -1>, <4 x i32> zeroinitializer
  %t31 = icmp slt <4 x i32> %t30, zeroinitializer
  %t32 = select <4 x i1> %t31, <4 x float> %t28, <4 x float> %t27
  %t33 = getelementptr inbounds [16 x i8], ptr %p3, i64 %t19
  store <4 x float> %t32, ptr %t33, align 16
  br label %exit.1
}

!0 = !{}
