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
  %t21 = and i64 %t20, 1
  %t22 = getelementptr inbounds [16 x i8], ptr %t1, i64 %t21
  %t23 = getelementptr inbounds i8, ptr %t22, i64 8
  %t24 = load i8, ptr %t23, align 8
  %t25 = getelementptr inbounds [16 x i8], ptr %t1, i64 %t21
  %t26 = getelementptr inbounds i8, ptr %t25, i64 16
  %t27 = load double, ptr %t26, align 16
  %t28 = load i32, ptr %t1, align 16
  %t29 = sitofp i32 %t28 to double
  %t30 = fmul double %t27, %t29
  %t31 = fptrunc double %t30 to float
  %t32 = getelementptr inbounds i8, ptr %t1, i64 56
  %t33 = load float, ptr %t32, align 8
  %t34 = fadd float %t33, %t31
  %t35 = sitofp i8 %t24 to float
  %t36 = fadd float %t34, %t35
  %t37 = getelementptr inbounds i8, ptr %t1, i64 64
  %t38 = load i16, ptr %t37, align 16
  %t39 = sitofp i16 %t38 to float
  %t40 = fadd float %t36, %t39
  %t41 = getelementptr inbounds float, ptr %p3, i64 %t20
  store float %t40, ptr %t41, align 4
  br label %exit.1
}

!0 = !{}
