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
  %t13 = getelementptr i8, ptr %p1, i64 96
  %t14 = load i64, ptr %t13, align 8
  %t15 = getelementptr i8, ptr %p0, i64 16
  %t16 = load i64, ptr %t15, align 8
  %t17 = add i64 %t14, %t16
  %t18 = getelementptr i8, ptr %p1, i64 104
  %t19 = load i64, ptr %t18, align 8
  %t20 = getelementptr i8, ptr %p0, i64 24
  %t21 = load i64, ptr %t20, align 8
  %t22 = add i64 %t19, %t21
  %t23 = getelementptr i8, ptr %p1, i64 112
  %t24 = load i64, ptr %t23, align 8
  %t25 = getelementptr i8, ptr %p0, i64 32
  %t26 = load i64, ptr %t25, align 8
  %t27 = add i64 %t24, %t26
  %t28 = insertelement <3 x i64> poison, i64 %t17, i32 0
  %t29 = insertelement <3 x i64> %t28, i64 %t22, i32 1
  %t30 = insertelement <3 x i64> %t29, i64 %t27, i32 2
  %t31 = extractelement <3 x i64> %t30, i32 0
  %t32 = getelementptr i8, ptr %p0, i64 16
  %t33 = load i64, ptr %t32, align 8
  %t34 = getelementptr i8, ptr %p0, i64 24
  %t35 = load i64, ptr %t34, align 8
  %t36 = getelementptr i8, ptr %p0, i64 32
  %t37 = load i64, ptr %t36, align 8
  %t38 = insertelement <3 x i64> poison, i64 %t33, i32 0
  %t39 = insertelement <3 x i64> %t38, i64 %t35, i32 1
  %t40 = insertelement <3 x i64> %t39, i64 %t37, i32 2
  %t41 = extractelement <3 x i64> %t40, i32 0
  %t42 = zext i32 %t10 to i64
  %t43 = icmp ult i64 %t31, %t42
  br i1 %t43, label %b.5, label %b.6
b.5:
  %t44 = getelementptr inbounds i32, ptr %t1, i64 %t31
  %t45 = load i32, ptr %t44, align 4
  br label %b.6
b.6:
  %t11 = phi i32 [ 0, %b.4 ], [ %t45, %b.5 ]
  %t46 = getelementptr inbounds i32, ptr %t8, i64 %t41
  store i32 %t11, ptr %t46, align 4
  br label %sync.15
b.7:
  br label %b.8
b.8:
  %t12 = phi i64 [ %t56, %b.7 ], [ %t59, %after.18 ]
  %t58 = add i64 %t12, 1
  %t59 = lshr i64 %t58, 1
  %t60 = add i64 %t59, %t41
  %t61 = icmp ult i64 %t60, %t12
  br i1 %t61, label %b.9, label %b.10
b.9:
  %t62 = getelementptr inbounds i32, ptr %t8, i64 %t60
  %t63 = load i32, ptr %t62, align 4
  %t64 = load i32, ptr %t46, align 4
  %t65 = add i32 %t64, %t63
  store i32 %t65, ptr %t46, align 4
  br label %b.10
b.10:
  br label %sync.17
b.11:
  br label %b.12
b.12:
  %t67 = icmp eq i64 %t41, 0
  br i1 %t67, label %b.13, label %b.14
b.13:
  %t68 = load i32, ptr %t8, align 4
  %t69 = getelementptr i8, ptr %p1, i64 16
  %t70 = load i64, ptr %t69, align 8
  %t71 = getelementptr i8, ptr %p1, i64 24
  %t72 = load i64, ptr %t71, align 8
  %t73 = getelementptr i8, ptr %p1, i64 32
  %t74 = load i64, ptr %t73, align 8
  %t75 = insertelement <3 x i64> poison, i64 %t70, i32 0
  %t76 = insertelement <3 x i64> %t75, i64 %t72, i32 1
  %t77 = insertelement <3 x i64> %t76, i64 %t74, i32 2
  %t78 = extractelement <3 x i64> %t77, i32 0
  %t79 = getelementptr inbounds i32, ptr %t3, i64 %t78
  store i32 %t68, ptr %t79, align 4
  br label %b.14
b.14:
  br label %exit.3
sync.15:
  call void @ur.wg.barrier()
  br label %after.16
after.16:
  %t47 = getelementptr i8, ptr %p1, i64 40
  %t48 = load i64, ptr %t47, align 8
  %t49 = getelementptr i8, ptr %p1, i64 48
  %t50 = load i64, ptr %t49, align 8
  %t51 = getelementptr i8, ptr %p1, i64 56
  %t52 = load i64, ptr %t51, align 8
  %t53 = insertelement <3 x i64> poison, i64 %t48, i32 0
  %t54 = insertelement <3 x i64> %t53, i64 %t50, i32 1
  %t55 = insertelement <3 x i64> %t54, i64 %t52, i32 2
  %t56 = extractelement <3 x i64> %t55, i32 0
  %t57 = icmp ugt i64 %t56, 1
  br i1 %t57, label %b.7, label %b.12
sync.17:
  call void @ur.wg.barrier()
  br label %after.18
after.18:
  %t66 = icmp ugt i64 %t58, 3
  br i1 %t66, label %b.8, label %b.11
}

!0 = !{}
