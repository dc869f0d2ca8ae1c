target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)

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
  call void @f132.dynamic_index(ptr %p0, ptr %p1, ptr %t1, ptr %t3, ptr %t5)
  br label %exit.1
}

define internal void @f132.dynamic_index(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4) nounwind alwaysinline {
entry:
  %t1 = alloca [16 x i8], i64 1, align 16
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
  call void @llvm.lifetime.start.p0(i64 -1, ptr %t1)
  %t21 = getelementptr inbounds [16 x i8], ptr %p2, i64 %t20
  %t22 = load <4 x i32>, ptr %t21, align 16
  store <4 x i32> %t22, ptr %t1, align 16
  %t23 = getelementptr inbounds i32, ptr %p3, i64 %t20
  %t24 = load i32, ptr %t23, align 4
  %t25 = and i32 %t24, 3
  %t26 = zext i32 %t25 to i64
  %t27 = getelementptr inbounds i32, ptr %t1, i64 %t26
  %t28 = load i32, ptr %t27, align 4
  %t29 = add i32 %t28, 100
  store i32 %t29, ptr %t27, align 4
  %t30 = load i32, ptr %t1, align 16
  %t31 = getelementptr inbounds i8, ptr %t1, i64 4
  %t32 = load i32, ptr %t31, align 4
  %t33 = add i32 %t30, %t32
  %t34 = getelementptr inbounds i8, ptr %t1, i64 8
  %t35 = load i32, ptr %t34, align 8
  %t36 = add i32 %t33, %t35
  %t37 = getelementptr inbounds i8, ptr %t1, i64 12
  %t38 = load i32, ptr %t37, align 4
  %t39 = add i32 %t36, %t38
  %t40 = zext i32 %t25 to i64
  %t41 = getelementptr inbounds i32, ptr %t1, i64 %t40
  %t42 = load i32, ptr %t41, align 4
  %t43 = add i32 %t39, %t42
  %t44 = getelementptr inbounds i32, ptr %p4, i64 %t20
  store i32 %t43, ptr %t44, align 4
  call void @llvm.lifetime.end.p0(i64 -1, ptr %t1)
  br label %exit.1
}

!0 = !{}
