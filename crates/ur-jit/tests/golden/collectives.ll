target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare i32 @ur.sg.iscan.iadd.i32(i32) convergent nounwind
declare i1 @ur.sg.reduce.and.i1(i1) convergent nounwind
declare i32 @ur.sg.reduce.iadd.i32(i32) convergent nounwind
declare i1 @ur.sg.reduce.or.i1(i1) convergent nounwind
declare i32 @ur.sg.reduce.smax.i32(i32) convergent nounwind
declare i32 @ur.sg.shuffle.i32({ i32, i64 }) convergent nounwind
declare i32 @ur.sg.xscan.iadd.i32(i32) convergent nounwind

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
  %t25 = mul i64 %t22, 6
  %t26 = getelementptr inbounds i32, ptr %t3, i64 %t25
  br label %sync.5
sync.5:
  %t27 = call i32 @ur.sg.reduce.iadd.i32(i32 %t24)
  br label %after.6
after.6:
  store i32 %t27, ptr %t26, align 4
  br label %sync.7
sync.7:
  %t28 = call i32 @ur.sg.reduce.smax.i32(i32 %t24)
  br label %after.8
after.8:
  %t29 = getelementptr inbounds i8, ptr %t26, i64 4
  store i32 %t28, ptr %t29, align 4
  br label %sync.9
sync.9:
  %t30 = call i32 @ur.sg.iscan.iadd.i32(i32 %t24)
  br label %after.10
after.10:
  %t31 = getelementptr inbounds i8, ptr %t26, i64 8
  store i32 %t30, ptr %t31, align 4
  br label %sync.11
sync.11:
  %t32 = call i32 @ur.sg.xscan.iadd.i32(i32 %t24)
  br label %after.12
after.12:
  %t33 = getelementptr inbounds i8, ptr %t26, i64 12
  store i32 %t32, ptr %t33, align 4
  %t34 = insertvalue { i32, i64 } undef, i32 %t24, 0
  %t35 = zext i32 0 to i64
  %t36 = insertvalue { i32, i64 } %t34, i64 %t35, 1
  br label %sync.13
sync.13:
  %t37 = call i32 @ur.sg.shuffle.i32({ i32, i64 } %t36)
  br label %after.14
after.14:
  %t38 = getelementptr inbounds i8, ptr %t26, i64 16
  store i32 %t37, ptr %t38, align 4
  %t39 = icmp sgt i32 %t24, 5
  %t40 = select i1 %t39, i32 1, i32 0
  %t41 = icmp ne i32 %t40, 0
  br label %sync.15
sync.15:
  %t42 = call i1 @ur.sg.reduce.or.i1(i1 %t41)
  br label %after.16
after.16:
  %t43 = select i1 %t42, i32 1, i32 0
  %t44 = shl i32 %t43, 1
  %t45 = icmp ne i32 %t40, 0
  br label %sync.17
sync.17:
  %t46 = call i1 @ur.sg.reduce.and.i1(i1 %t45)
  br label %after.18
after.18:
  %t47 = select i1 %t46, i32 1, i32 0
  %t48 = or i32 %t44, %t47
  %t49 = getelementptr inbounds i8, ptr %t26, i64 20
  store i32 %t48, ptr %t49, align 4
  br label %exit.3
}

!0 = !{}
