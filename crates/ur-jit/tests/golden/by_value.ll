target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t3 = alloca [80 x i8], i64 1, align 16
  %t1 = getelementptr i8, ptr %p2, i64 80
  %t2 = load ptr, ptr %t1, align 8, !invariant.load !0
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %t3, ptr align 16 %p2, i64 80, i1 false)
  br label %b.2
exit.1:
  ret void
b.2:
  call void @f22.by_value(ptr %p0, ptr %p1, ptr %t3, ptr %t2)
  br label %exit.1
}

define internal void @f22.by_value(ptr %p0, ptr %p1, ptr %p2, ptr %p3) nounwind alwaysinline {
entry:
  %t1 = alloca [80 x i8], i64 1, align 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %t1, ptr align 16 %p2, i64 80, i1 false)
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
  %t12 = and i64 %t11, 1
  %t13 = getelementptr inbounds [16 x i8], ptr %t1, i64 %t12
  %t14 = getelementptr inbounds i8, ptr %t13, i64 8
  %t15 = load i8, ptr %t14, align 8
  %t16 = getelementptr inbounds [16 x i8], ptr %t1, i64 %t12
  %t17 = getelementptr inbounds i8, ptr %t16, i64 16
  %t18 = load double, ptr %t17, align 16
  %t19 = load i32, ptr %t1, align 16
  %t20 = sitofp i32 %t19 to double
  %t21 = fmul double %t18, %t20
  %t22 = fptrunc double %t21 to float
  %t23 = getelementptr inbounds i8, ptr %t1, i64 56
  %t24 = load float, ptr %t23, align 8
  %t25 = fadd float %t24, %t22
  %t26 = sitofp i8 %t15 to float
  %t27 = fadd float %t25, %t26
  %t28 = getelementptr inbounds i8, ptr %t1, i64 64
  %t29 = load i16, ptr %t28, align 16
  %t30 = sitofp i16 %t29 to float
  %t31 = fadd float %t27, %t30
  %t32 = getelementptr inbounds float, ptr %p3, i64 %t11
  store float %t31, ptr %t32, align 4
  br label %exit.1
}

!0 = !{}
