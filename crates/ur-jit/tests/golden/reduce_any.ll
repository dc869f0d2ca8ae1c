target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @ur.wg.barrier() convergent nounwind

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t1 = load ptr, ptr %p2, align 8, !invariant.load !0
  %t2 = getelementptr i8, ptr %p2, i64 8
  %t3 = load ptr, ptr %t2, align 8, !invariant.load !0
  %t4 = getelementptr i8, ptr %p2, i64 16
  %t5 = load i64, ptr %t4, align 8, !invariant.load !0
  %t6 = getelementptr i8, ptr %p1, i64 8
  %t7 = load ptr, ptr %t6, align 8
  %t8 = getelementptr i8, ptr %t7, i64 %t5
  %t9 = getelementptr i8, ptr %p2, i64 24
  %t10 = load i32, ptr %t9, align 4, !invariant.load !0
  br label %b.2
exit.1:
  ret void
b.2:
  br label %b.4
exit.3:
  br label %exit.1
b.4:
  %t13 = getelementptr i8, ptr %p0, i64 32
  %t14 = load i64, ptr %t13, align 8
  %t15 = getelementptr i8, ptr %p0, i64 40
  %t16 = load i64, ptr %t15, align 8
  %t17 = getelementptr i8, ptr %p0, i64 48
  %t18 = load i64, ptr %t17, align 8
  %t19 = insertelement <3 x i64> poison, i64 %t14, i32 0
  %t20 = insertelement <3 x i64> %t19, i64 %t16, i32 1
  %t21 = insertelement <3 x i64> %t20, i64 %t18, i32 2
  %t22 = extractelement <3 x i64> %t21, i32 0
  %t23 = getelementptr i8, ptr %p0, i64 8
  %t24 = load i64, ptr %t23, align 8
  %t25 = getelementptr i8, ptr %p0, i64 16
  %t26 = load i64, ptr %t25, align 8
  %t27 = getelementptr i8, ptr %p0, i64 24
  %t28 = load i64, ptr %t27, align 8
  %t29 = insertelement <3 x i64> poison, i64 %t24, i32 0
  %t30 = insertelement <3 x i64> %t29, i64 %t26, i32 1
  %t31 = insertelement <3 x i64> %t30, i64 %t28, i32 2
  %t32 = extractelement <3 x i64> %t31, i32 0
  %t33 = zext i32 %t10 to i64
  %t34 = icmp ult i64 %t22, %t33
  br i1 %t34, label %b.5, label %b.6
b.5:
  %t35 = getelementptr inbounds i32, ptr %t1, i64 %t22
  %t36 = load i32, ptr %t35, align 4
  br label %b.6
b.6:
  %t11 = phi i32 [ 0, %b.4 ], [ %t36, %b.5 ]
  %t37 = getelementptr inbounds i32, ptr %t8, i64 %t32
  store i32 %t11, ptr %t37, align 4
  br label %sync.15
b.7:
  br label %b.8
b.8:
  %t12 = phi i64 [ %t47, %b.7 ], [ %t50, %after.18 ]
  %t49 = add i64 %t12, 1
  %t50 = lshr i64 %t49, 1
  %t51 = add i64 %t50, %t32
  %t52 = icmp ult i64 %t51, %t12
  br i1 %t52, label %b.9, label %b.10
b.9:
  %t53 = getelementptr inbounds i32, ptr %t8, i64 %t51
  %t54 = load i32, ptr %t53, align 4
  %t55 = load i32, ptr %t37, align 4
  %t56 = add i32 %t55, %t54
  store i32 %t56, ptr %t37, align 4
  br label %b.10
b.10:
  br label %sync.17
b.11:
  br label %b.12
b.12:
  %t58 = icmp eq i64 %t32, 0
  br i1 %t58, label %b.13, label %b.14
b.13:
  %t59 = load i32, ptr %t8, align 4
  %t60 = getelementptr i8, ptr %p1, i64 16
  %t61 = load i64, ptr %t60, align 8
  %t62 = getelementptr i8, ptr %p1, i64 24
  %t63 = load i64, ptr %t62, align 8
  %t64 = getelementptr i8, ptr %p1, i64 32
  %t65 = load i64, ptr %t64, align 8
  %t66 = insertelement <3 x i64> poison, i64 %t61, i32 0
  %t67 = insertelement <3 x i64> %t66, i64 %t63, i32 1
  %t68 = insertelement <3 x i64> %t67, i64 %t65, i32 2
  %t69 = extractelement <3 x i64> %t68, i32 0
  %t70 = getelementptr inbounds i32, ptr %t3, i64 %t69
  store i32 %t59, ptr %t70, align 4
  br label %b.14
b.14:
  br label %exit.3
sync.15:
  call void @ur.wg.barrier()
  br label %after.16
after.16:
  %t38 = getelementptr i8, ptr %p1, i64 40
  %t39 = load i64, ptr %t38, align 8
  %t40 = getelementptr i8, ptr %p1, i64 48
  %t41 = load i64, ptr %t40, align 8
  %t42 = getelementptr i8, ptr %p1, i64 56
  %t43 = load i64, ptr %t42, align 8
  %t44 = insertelement <3 x i64> poison, i64 %t39, i32 0
  %t45 = insertelement <3 x i64> %t44, i64 %t41, i32 1
  %t46 = insertelement <3 x i64> %t45, i64 %t43, i32 2
  %t47 = extractelement <3 x i64> %t46, i32 0
  %t48 = icmp ugt i64 %t47, 1
  br i1 %t48, label %b.7, label %b.12
sync.17:
  call void @ur.wg.barrier()
  br label %after.18
after.18:
  %t57 = icmp ugt i64 %t49, 3
  br i1 %t57, label %b.8, label %b.11
}

!0 = !{}
