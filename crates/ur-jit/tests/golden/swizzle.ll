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
  %t11 = getelementptr inbounds [16 x i8], ptr %p2, i64 %t10
  %t12 = load <4 x float>, ptr %t11, align 16
  %t13 = shufflevector <4 x float> %t12, <4 x float> undef, <2 x i32> <i32 3, i32 2>
  %t14 = shufflevector <4 x float> %t12, <4 x float> undef, <2 x i32> <i32 0, i32 1>
  %t15 = fadd <2 x float> %t14, %t13
  %t16 = shufflevector <2 x float> %t15, <2 x float> undef, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %t17 = shufflevector <4 x float> %t16, <4 x float> %t12, <4 x i32> <i32 0, i32 1, i32 6, i32 7>
  %t18 = shufflevector <4 x float> %t17, <4 x float> undef, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %t19 = fmul <4 x float> %t17, <float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000>
  %t20 = fcmp ogt <4 x float> %t17, zeroinitializer
  %t21 = select <4 x i1> %t20, <4 x i32> <i32 -1, i32 -1, i32 -1, i32 -1>, <4 x i32> zeroinitializer
  %t22 = icmp slt <4 x i32> %t21, zeroinitializer
  %t23 = select <4 x i1> %t22, <4 x float> %t19, <4 x float> %t18
  %t24 = getelementptr inbounds [16 x i8], ptr %p3, i64 %t10
  store <4 x float> %t23, ptr %t24, align 16
  br label %exit.1
}

!0 = !{}
