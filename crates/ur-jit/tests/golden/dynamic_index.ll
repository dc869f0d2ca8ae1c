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
  call void @llvm.lifetime.start.p0(i64 -1, ptr %t1)
  %t12 = getelementptr inbounds [16 x i8], ptr %p2, i64 %t11
  %t13 = load <4 x i32>, ptr %t12, align 16
  store <4 x i32> %t13, ptr %t1, align 16
  %t14 = getelementptr inbounds i32, ptr %p3, i64 %t11
  %t15 = load i32, ptr %t14, align 4
  %t16 = and i32 %t15, 3
  %t17 = zext i32 %t16 to i64
  %t18 = getelementptr inbounds i32, ptr %t1, i64 %t17
  %t19 = load i32, ptr %t18, align 4
  %t20 = add i32 %t19, 100
  store i32 %t20, ptr %t18, align 4
  %t21 = load i32, ptr %t1, align 16
  %t22 = getelementptr inbounds i8, ptr %t1, i64 4
  %t23 = load i32, ptr %t22, align 4
  %t24 = add i32 %t21, %t23
  %t25 = getelementptr inbounds i8, ptr %t1, i64 8
  %t26 = load i32, ptr %t25, align 8
  %t27 = add i32 %t24, %t26
  %t28 = getelementptr inbounds i8, ptr %t1, i64 12
  %t29 = load i32, ptr %t28, align 4
  %t30 = add i32 %t27, %t29
  %t31 = zext i32 %t16 to i64
  %t32 = getelementptr inbounds i32, ptr %t1, i64 %t31
  %t33 = load i32, ptr %t32, align 4
  %t34 = add i32 %t30, %t33
  %t35 = getelementptr inbounds i32, ptr %p4, i64 %t11
  store i32 %t34, ptr %t35, align 4
  call void @llvm.lifetime.end.p0(i64 -1, ptr %t1)
  br label %exit.1
}

!0 = !{}
