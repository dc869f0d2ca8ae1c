target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

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
  call void @f11.switches(ptr %p0, ptr %p1, ptr %t1, ptr %t3, ptr %t5)
  br label %exit.1
}

define internal void @f11.switches(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4) nounwind alwaysinline {
entry:
  br label %b.2
exit.1:
  ret void
b.2:
  %t6 = getelementptr i8, ptr %p1, i64 96
  %t7 = load i64, ptr %t6, align 8
  %t8 = getelementptr i8, ptr %p0, i64 16
  %t9 = load i64, ptr %t8, align 8
  %t10 = add i64 %t7, %t9
  %t11 = getelementptr i8, ptr %p1, i64 104
  %t12 = load i64, ptr %t11, align 8
  %t13 = getelementptr i8, ptr %p0, i64 24
  %t14 = load i64, ptr %t13, align 8
  %t15 = add i64 %t12, %t14
  %t16 = getelementptr i8, ptr %p1, i64 112
  %t17 = load i64, ptr %t16, align 8
  %t18 = getelementptr i8, ptr %p0, i64 32
  %t19 = load i64, ptr %t18, align 8
  %t20 = add i64 %t17, %t19
  %t21 = insertelement <3 x i64> poison, i64 %t10, i32 0
  %t22 = insertelement <3 x i64> %t21, i64 %t15, i32 1
  %t23 = insertelement <3 x i64> %t22, i64 %t20, i32 2
  %t24 = extractelement <3 x i64> %t23, i32 0
  %t25 = getelementptr inbounds i32, ptr %p2, i64 %t24
  %t26 = load i32, ptr %t25, align 4
  switch i32 %t26, label %b.3 [ i32 0, label %b.10 i32 1, label %b.4 i32 2, label %b.5 i32 3, label %b.6 i32 4, label %b.7 i32 -1, label %b.8 i32 1000000, label %b.9 ]
b.3:
  %t27 = shl i32 %t26, 1
  br label %b.10
b.4:
  br label %b.5
b.5:
  %t1 = phi i32 [ 5, %b.2 ], [ 26, %b.4 ]
  br label %b.10
b.6:
  %t28 = add i64 %t24, 1
  %t29 = and i64 %t28, 3
  %t30 = getelementptr inbounds i32, ptr %p2, i64 %t29
  %t31 = load i32, ptr %t30, align 4
  br label %b.10
b.7:
  br label %b.10
b.8:
  br label %b.10
b.9:
  br label %b.10
b.10:
  %t2 = phi i32 [ 10, %b.2 ], [ %t27, %b.3 ], [ %t1, %b.5 ], [ %t31, %b.6 ], [ 77, %b.7 ], [ 99, %b.8 ], [ -1, %b.9 ]
  %t32 = getelementptr inbounds i64, ptr %p3, i64 %t24
  %t33 = load i64, ptr %t32, align 8
  switch i64 %t33, label %b.14 [ i64 4294967296, label %b.11 i64 -4294967296, label %b.12 i64 3, label %b.13 ]
b.11:
  %t34 = add i32 %t2, 1000
  %t35 = shl i64 %t24, 1
  br label %b.15
b.12:
  %t36 = add i32 %t2, 2000
  br label %b.14
b.13:
  %t37 = xor i32 %t2, 85
  br label %b.14
b.14:
  %t3 = phi i32 [ %t2, %b.10 ], [ %t36, %b.12 ], [ %t37, %b.13 ]
  %t38 = shl i64 %t24, 1
  %t39 = getelementptr inbounds i32, ptr %p4, i64 %t38
  store i32 %t3, ptr %t39, align 4
  %t40 = or i64 %t38, 1
  br label %b.15
b.15:
  %t4 = phi i64 [ %t35, %b.11 ], [ %t40, %b.14 ]
  %t5 = phi i32 [ %t34, %b.11 ], [ 1, %b.14 ]
  %t41 = getelementptr inbounds i32, ptr %p4, i64 %t4
  store i32 %t5, ptr %t41, align 4
  br label %exit.1
}

!0 = !{}
