target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare i32 @ur.wg.iscan.smax.i32(i32) convergent nounwind
declare i1 @ur.wg.reduce.and.i1(i1) convergent nounwind
declare i32 @ur.wg.reduce.iadd.i32(i32) convergent nounwind
declare i32 @ur.wg.shuffle.i32({ i32, i64 }) convergent nounwind

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t1 = load ptr, ptr %p2, align 8, !invariant.load !0
  %t2 = getelementptr i8, ptr %p2, i64 8
  %t3 = load ptr, ptr %t2, align 8, !invariant.load !0
  br label %b.2
exit.1:
  ret void
b.2:
  br label %b.4
exit.3:
  br label %exit.1
b.4:
  %t4 = getelementptr i8, ptr %p1, i64 96
  %t5 = load i64, ptr %t4, align 8
  %t6 = getelementptr i8, ptr %p0, i64 16
  %t7 = load i64, ptr %t6, align 8
  %t8 = add i64 %t5, %t7
  %t9 = getelementptr i8, ptr %p1, i64 104
  %t10 = load i64, ptr %t9, align 8
  %t11 = getelementptr i8, ptr %p0, i64 24
  %t12 = load i64, ptr %t11, align 8
  %t13 = add i64 %t10, %t12
  %t14 = getelementptr i8, ptr %p1, i64 112
  %t15 = load i64, ptr %t14, align 8
  %t16 = getelementptr i8, ptr %p0, i64 32
  %t17 = load i64, ptr %t16, align 8
  %t18 = add i64 %t15, %t17
  %t19 = insertelement <3 x i64> poison, i64 %t8, i32 0
  %t20 = insertelement <3 x i64> %t19, i64 %t13, i32 1
  %t21 = insertelement <3 x i64> %t20, i64 %t18, i32 2
  %t22 = extractelement <3 x i64> %t21, i32 0
  %t23 = getelementptr inbounds i32, ptr %t1, i64 %t22
  %t24 = load i32, ptr %t23, align 4
  br label %sync.5
sync.5:
  %t25 = call i32 @ur.wg.reduce.iadd.i32(i32 %t24)
  br label %after.6
after.6:
  %t26 = shl i64 %t22, 2
  %t27 = getelementptr inbounds i32, ptr %t3, i64 %t26
  store i32 %t25, ptr %t27, align 4
  br label %sync.7
sync.7:
  %t28 = call i32 @ur.wg.iscan.smax.i32(i32 %t24)
  br label %after.8
after.8:
  %t29 = or i64 %t26, 1
  %t30 = getelementptr inbounds i32, ptr %t3, i64 %t29
  store i32 %t28, ptr %t30, align 4
  %t31 = getelementptr i8, ptr %p1, i64 40
  %t32 = load i64, ptr %t31, align 8
  %t33 = getelementptr i8, ptr %p1, i64 48
  %t34 = load i64, ptr %t33, align 8
  %t35 = getelementptr i8, ptr %p1, i64 56
  %t36 = load i64, ptr %t35, align 8
  %t37 = insertelement <3 x i64> poison, i64 %t32, i32 0
  %t38 = insertelement <3 x i64> %t37, i64 %t34, i32 1
  %t39 = insertelement <3 x i64> %t38, i64 %t36, i32 2
  %t40 = extractelement <3 x i64> %t39, i32 0
  %t41 = add i64 %t40, -1
  %t42 = insertvalue { i32, i64 } undef, i32 %t24, 0
  %t43 = insertvalue { i32, i64 } %t42, i64 %t41, 1
  br label %sync.9
sync.9:
  %t44 = call i32 @ur.wg.shuffle.i32({ i32, i64 } %t43)
  br label %after.10
after.10:
  %t45 = or i64 %t26, 2
  %t46 = getelementptr inbounds i32, ptr %t3, i64 %t45
  store i32 %t44, ptr %t46, align 4
  %t47 = icmp sgt i32 %t24, 0
  %t48 = select i1 %t47, i32 1, i32 0
  %t49 = icmp ne i32 %t48, 0
  br label %sync.11
sync.11:
  %t50 = call i1 @ur.wg.reduce.and.i1(i1 %t49)
  br label %after.12
after.12:
  %t51 = select i1 %t50, i32 1, i32 0
  %t52 = or i64 %t26, 3
  %t53 = getelementptr inbounds i32, ptr %t3, i64 %t52
  store i32 %t51, ptr %t53, align 4
  br label %exit.3
}

!0 = !{}
