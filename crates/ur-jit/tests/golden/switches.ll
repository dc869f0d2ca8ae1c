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
  %t6 = getelementptr i8, ptr %p0, i64 32
  %t7 = load i64, ptr %t6, align 8
  %t8 = getelementptr i8, ptr %p0, i64 40
  %t9 = load i64, ptr %t8, align 8
  %t10 = getelementptr i8, ptr %p0, i64 48
  %t11 = load i64, ptr %t10, align 8
  %t12 = insertelement <3 x i64> poison, i64 %t7, i32 0
  %t13 = insertelement <3 x i64> %t12, i64 %t9, i32 1
  %t14 = insertelement <3 x i64> %t13, i64 %t11, i32 2
  %t15 = extractelement <3 x i64> %t14, i32 0
  %t16 = getelementptr inbounds i32, ptr %p2, i64 %t15
  %t17 = load i32, ptr %t16, align 4
  switch i32 %t17, label %b.3 [ i32 0, label %b.10 i32 1, label %b.4 i32 2, label %b.5 i32 3, label %b.6 i32 4, label %b.7 i32 -1, label %b.8 i32 1000000, label %b.9 ]
b.3:
  %t18 = shl i32 %t17, 1
  br label %b.10
b.4:
  br label %b.5
b.5:
  %t1 = phi i32 [ 5, %b.2 ], [ 26, %b.4 ]
  br label %b.10
b.6:
  %t19 = add i64 %t15, 1
  %t20 = and i64 %t19, 3
  %t21 = getelementptr inbounds i32, ptr %p2, i64 %t20
  %t22 = load i32, ptr %t21, align 4
  br label %b.10
b.7:
  br label %b.10
b.8:
  br label %b.10
b.9:
  br label %b.10
b.10:
  %t2 = phi i32 [ 10, %b.2 ], [ %t18, %b.3 ], [ %t1, %b.5 ], [ %t22, %b.6 ], [ 77, %b.7 ], [ 99, %b.8 ], [ -1, %b.9 ]
  %t23 = getelementptr inbounds i64, ptr %p3, i64 %t15
  %t24 = load i64, ptr %t23, align 8
  switch i64 %t24, label %b.14 [ i64 4294967296, label %b.11 i64 -4294967296, label %b.12 i64 3, label %b.13 ]
b.11:
  %t25 = add i32 %t2, 1000
  %t26 = shl i64 %t15, 1
  br label %b.15
b.12:
  %t27 = add i32 %t2, 2000
  br label %b.14
b.13:
  %t28 = xor i32 %t2, 85
  br label %b.14
b.14:
  %t3 = phi i32 [ %t2, %b.10 ], [ %t27, %b.12 ], [ %t28, %b.13 ]
  %t29 = shl i64 %t15, 1
  %t30 = getelementptr inbounds i32, ptr %p4, i64 %t29
  store i32 %t3, ptr %t30, align 4
  %t31 = or i64 %t29, 1
  br label %b.15
b.15:
  %t4 = phi i64 [ %t26, %b.11 ], [ %t31, %b.14 ]
  %t5 = phi i32 [ %t25, %b.11 ], [ 1, %b.14 ]
  %t32 = getelementptr inbounds i32, ptr %p4, i64 %t4
  store i32 %t5, ptr %t32, align 4
  br label %exit.1
}

!0 = !{}
