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
  %t16 = mul i64 %t13, 6
  %t17 = getelementptr inbounds i32, ptr %t3, i64 %t16
  br label %sync.5
sync.5:
  %t18 = call i32 @ur.sg.reduce.iadd.i32(i32 %t15)
  br label %after.6
after.6:
  store i32 %t18, ptr %t17, align 4
  br label %sync.7
sync.7:
  %t19 = call i32 @ur.sg.reduce.smax.i32(i32 %t15)
  br label %after.8
after.8:
  %t20 = getelementptr inbounds i8, ptr %t17, i64 4
  store i32 %t19, ptr %t20, align 4
  br label %sync.9
sync.9:
  %t21 = call i32 @ur.sg.iscan.iadd.i32(i32 %t15)
  br label %after.10
after.10:
  %t22 = getelementptr inbounds i8, ptr %t17, i64 8
  store i32 %t21, ptr %t22, align 4
  br label %sync.11
sync.11:
  %t23 = call i32 @ur.sg.xscan.iadd.i32(i32 %t15)
  br label %after.12
after.12:
  %t24 = getelementptr inbounds i8, ptr %t17, i64 12
  store i32 %t23, ptr %t24, align 4
  %t25 = insertvalue { i32, i64 } undef, i32 %t15, 0
  %t26 = zext i32 0 to i64
  %t27 = insertvalue { i32, i64 } %t25, i64 %t26, 1
  br label %sync.13
sync.13:
  %t28 = call i32 @ur.sg.shuffle.i32({ i32, i64 } %t27)
  br label %after.14
after.14:
  %t29 = getelementptr inbounds i8, ptr %t17, i64 16
  store i32 %t28, ptr %t29, align 4
  %t30 = icmp sgt i32 %t15, 5
  %t31 = select i1 %t30, i32 1, i32 0
  %t32 = icmp ne i32 %t31, 0
  br label %sync.15
sync.15:
  %t33 = call i1 @ur.sg.reduce.or.i1(i1 %t32)
  br label %after.16
after.16:
  %t34 = select i1 %t33, i32 1, i32 0
  %t35 = shl i32 %t34, 1
  %t36 = icmp ne i32 %t31, 0
  br label %sync.17
sync.17:
  %t37 = call i1 @ur.sg.reduce.and.i1(i1 %t36)
  br label %after.18
after.18:
  %t38 = select i1 %t37, i32 1, i32 0
  %t39 = or i32 %t35, %t38
  %t40 = getelementptr inbounds i8, ptr %t17, i64 20
  store i32 %t39, ptr %t40, align 4
  br label %exit.3
}

!0 = !{}
