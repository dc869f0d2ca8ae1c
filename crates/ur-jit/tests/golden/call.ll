target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @ur.wg.barrier() convergent nounwind

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t9 = alloca [8 x i8], i64 1, align 4
  %t10 = alloca [4 x i8], i64 1, align 4
  %t1 = load ptr, ptr %p2, align 8, !invariant.load !0
  %t2 = getelementptr i8, ptr %p2, i64 8
  %t3 = load ptr, ptr %t2, align 8, !invariant.load !0
  %t4 = getelementptr i8, ptr %p2, i64 16
  %t5 = load i64, ptr %t4, align 8, !invariant.load !0
  %t6 = getelementptr i8, ptr %p1, i64 8
  %t7 = load ptr, ptr %t6, align 8
  %t8 = getelementptr i8, ptr %t7, i64 %t5
  br label %b.2
exit.1:
  ret void
b.2:
  br label %b.4
exit.3:
  br label %exit.1
b.4:
  %t11 = getelementptr i8, ptr %p1, i64 96
  %t12 = load i64, ptr %t11, align 8
  %t13 = getelementptr i8, ptr %p0, i64 16
  %t14 = load i64, ptr %t13, align 8
  %t15 = add i64 %t12, %t14
  %t16 = getelementptr i8, ptr %p1, i64 104
  %t17 = load i64, ptr %t16, align 8
  %t18 = getelementptr i8, ptr %p0, i64 24
  %t19 = load i64, ptr %t18, align 8
  %t20 = add i64 %t17, %t19
  %t21 = getelementptr i8, ptr %p1, i64 112
  %t22 = load i64, ptr %t21, align 8
  %t23 = getelementptr i8, ptr %p0, i64 32
  %t24 = load i64, ptr %t23, align 8
  %t25 = add i64 %t22, %t24
  %t26 = insertelement <3 x i64> poison, i64 %t15, i32 0
  %t27 = insertelement <3 x i64> %t26, i64 %t20, i32 1
  %t28 = insertelement <3 x i64> %t27, i64 %t25, i32 2
  %t29 = extractelement <3 x i64> %t28, i32 0
  %t30 = getelementptr i8, ptr %p0, i64 16
  %t31 = load i64, ptr %t30, align 8
  %t32 = getelementptr i8, ptr %p0, i64 24
  %t33 = load i64, ptr %t32, align 8
  %t34 = getelementptr i8, ptr %p0, i64 32
  %t35 = load i64, ptr %t34, align 8
  %t36 = insertelement <3 x i64> poison, i64 %t31, i32 0
  %t37 = insertelement <3 x i64> %t36, i64 %t33, i32 1
  %t38 = insertelement <3 x i64> %t37, i64 %t35, i32 2
  %t39 = extractelement <3 x i64> %t38, i32 0
  %t40 = getelementptr i8, ptr %p1, i64 40
  %t41 = load i64, ptr %t40, align 8
  %t42 = getelementptr i8, ptr %p1, i64 48
  %t43 = load i64, ptr %t42, align 8
  %t44 = getelementptr i8, ptr %p1, i64 56
  %t45 = load i64, ptr %t44, align 8
  %t46 = insertelement <3 x i64> poison, i64 %t41, i32 0
  %t47 = insertelement <3 x i64> %t46, i64 %t43, i32 1
  %t48 = insertelement <3 x i64> %t47, i64 %t45, i32 2
  %t49 = extractelement <3 x i64> %t48, i32 0
  call void @llvm.lifetime.start.p0(i64 -1, ptr %t9)
  %t50 = getelementptr inbounds i32, ptr %t1, i64 %t29
  %t51 = load i32, ptr %t50, align 4
  call void @f13.split(ptr %t9, i32 %t51)
  call void @llvm.lifetime.start.p0(i64 -1, ptr %t10)
  %t52 = load i32, ptr %t9, align 4
  store i32 %t52, ptr %t10, align 4
  %t53 = getelementptr inbounds i8, ptr %t9, i64 4
  %t54 = load i32, ptr %t53, align 4
  call void @f28.bump(ptr %t10, i32 %t54)
  %t55 = load i32, ptr %t10, align 4
  %t56 = add i64 %t39, 1
  %t57 = icmp eq i64 %t49, 0
  %t58 = select i1 %t57, i64 1, i64 %t49
  %t59 = urem i64 %t56, %t58
  br label %b.6
exit.5:
  %t60 = phi i32 [ %t73, %after.10 ]
  %t74 = add i32 %t60, %t55
  store i32 %t74, ptr %t10, align 4
  %t75 = urem i64 %t29, 5
  %t76 = trunc i64 %t75 to i32
  %t77 = call i32 @f50.sum_to(ptr %t1, i32 %t76)
  %t78 = add i32 %t77, %t74
  %t79 = getelementptr inbounds i32, ptr %t3, i64 %t29
  store i32 %t78, ptr %t79, align 4
  call void @llvm.lifetime.end.p0(i64 -1, ptr %t10)
  call void @llvm.lifetime.end.p0(i64 -1, ptr %t9)
  br label %exit.3
b.6:
  %t61 = getelementptr i8, ptr %p0, i64 16
  %t62 = load i64, ptr %t61, align 8
  %t63 = getelementptr i8, ptr %p0, i64 24
  %t64 = load i64, ptr %t63, align 8
  %t65 = getelementptr i8, ptr %p0, i64 32
  %t66 = load i64, ptr %t65, align 8
  %t67 = insertelement <3 x i64> poison, i64 %t62, i32 0
  %t68 = insertelement <3 x i64> %t67, i64 %t64, i32 1
  %t69 = insertelement <3 x i64> %t68, i64 %t66, i32 2
  %t70 = extractelement <3 x i64> %t69, i32 0
  %t71 = getelementptr inbounds i32, ptr %t8, i64 %t70
  store i32 %t55, ptr %t71, align 4
  br label %sync.7
sync.7:
  call void @ur.wg.barrier()
  br label %after.8
after.8:
  %t72 = getelementptr inbounds i32, ptr %t8, i64 %t59
  %t73 = load i32, ptr %t72, align 4
  br label %sync.9
sync.9:
  call void @ur.wg.barrier()
  br label %after.10
after.10:
  br label %exit.5
}

define internal i32 @f50.sum_to(ptr %p0, i32 %p1) nounwind {
entry:
  br label %b.2
exit.1:
  %t1 = phi i32 [ %t4, %b.6 ]
  ret i32 %t1
b.2:
  %t5 = icmp sgt i32 %p1, 0
  br i1 %t5, label %b.3, label %b.6
b.3:
  br label %b.4
b.4:
  %t2 = phi i32 [ 0, %b.3 ], [ %t10, %b.4 ]
  %t3 = phi i32 [ 0, %b.3 ], [ %t9, %b.4 ]
  %t6 = zext i32 %t2 to i64
  %t7 = getelementptr inbounds i32, ptr %p0, i64 %t6
  %t8 = load i32, ptr %t7, align 4
  %t9 = add i32 %t8, %t3
  %t10 = add i32 %t2, 1
  %t11 = icmp slt i32 %t10, %p1
  br i1 %t11, label %b.4, label %b.5
b.5:
  br label %b.6
b.6:
  %t4 = phi i32 [ 0, %b.2 ], [ %t9, %b.5 ]
  br label %exit.1
}

define internal void @f28.bump(ptr %p0, i32 %p1) nounwind {
entry:
  br label %b.2
exit.1:
  ret void
b.2:
  %t1 = load i32, ptr %p0, align 4
  %t2 = add i32 %t1, %p1
  store i32 %t2, ptr %p0, align 4
  br label %exit.1
}

define internal void @f13.split(ptr %p0, i32 %p1) nounwind {
entry:
  br label %b.2
exit.1:
  ret void
b.2:
  %t1 = and i32 %p1, 65535
  store i32 %t1, ptr %p0, align 4
  %t2 = getelementptr inbounds i8, ptr %p0, i64 4
  %t3 = ashr i32 %p1, 16
  store i32 %t3, ptr %t2, align 4
  br label %exit.1
}

!0 = !{}
