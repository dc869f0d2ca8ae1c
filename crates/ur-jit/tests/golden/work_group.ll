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
  %t4 = getelementptr i8, ptr %p0, i64 32
  %t5 = load i64, ptr %t4, align 8
  %t6 = getelementptr i8, ptr %p0, i64 40
  %t7 = load i64, ptr %t6, align 8
  %t8 = getelementptr i8, ptr %p0, i64 48
  %t9 = load i64, ptr %t8, align 8
  %t10 = insertelement <3 x i64> poison, i64 %t5, i32 0
  %t11 = insertelement <3 x i64> %t10, i64 %t7, i32 1
  %t12 = insertelement <3 x i64> %t11, i64 %t9, i32 2
  %t13 = extractelement <3 x i64> %t12, i32 0
  %t14 = getelementptr inbounds i32, ptr %t1, i64 %t13
  %t15 = load i32, ptr %t14, align 4
  br label %sync.5
sync.5:
  %t16 = call i32 @ur.wg.reduce.iadd.i32(i32 %t15)
  br label %after.6
after.6:
  %t17 = shl i64 %t13, 2
  %t18 = getelementptr inbounds i32, ptr %t3, i64 %t17
  store i32 %t16, ptr %t18, align 4
  br label %sync.7
sync.7:
  %t19 = call i32 @ur.wg.iscan.smax.i32(i32 %t15)
  br label %after.8
after.8:
  %t20 = or i64 %t17, 1
  %t21 = getelementptr inbounds i32, ptr %t3, i64 %t20
  store i32 %t19, ptr %t21, align 4
  %t22 = getelementptr i8, ptr %p1, i64 40
  %t23 = load i64, ptr %t22, align 8
  %t24 = getelementptr i8, ptr %p1, i64 48
  %t25 = load i64, ptr %t24, align 8
  %t26 = getelementptr i8, ptr %p1, i64 56
  %t27 = load i64, ptr %t26, align 8
  %t28 = insertelement <3 x i64> poison, i64 %t23, i32 0
  %t29 = insertelement <3 x i64> %t28, i64 %t25, i32 1
  %t30 = insertelement <3 x i64> %t29, i64 %t27, i32 2
  %t31 = extractelement <3 x i64> %t30, i32 0
  %t32 = add i64 %t31, -1
  %t33 = insertvalue { i32, i64 } undef, i32 %t15, 0
  %t34 = insertvalue { i32, i64 } %t33, i64 %t32, 1
  br label %sync.9
sync.9:
  %t35 = call i32 @ur.wg.shuffle.i32({ i32, i64 } %t34)
  br label %after.10
after.10:
  %t36 = or i64 %t17, 2
  %t37 = getelementptr inbounds i32, ptr %t3, i64 %t36
  store i32 %t35, ptr %t37, align 4
  %t38 = icmp sgt i32 %t15, 0
  %t39 = select i1 %t38, i32 1, i32 0
  %t40 = icmp ne i32 %t39, 0
  br label %sync.11
sync.11:
  %t41 = call i1 @ur.wg.reduce.and.i1(i1 %t40)
  br label %after.12
after.12:
  %t42 = select i1 %t41, i32 1, i32 0
  %t43 = or i64 %t17, 3
  %t44 = getelementptr inbounds i32, ptr %t3, i64 %t43
  store i32 %t42, ptr %t44, align 4
  br label %exit.3
}

!0 = !{}
